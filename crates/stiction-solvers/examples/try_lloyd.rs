use stiction_solvers::file::ProblemFile;
use stiction_solvers::lloyd2004::*;
use stiction_solvers::judge::judge_pyramid;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let scope = if args[1] == "all" { Scope::All } else { Scope::Pushing };
    let mut groups: std::collections::BTreeMap<String, (usize, usize, f64, Vec<f64>, Vec<f64>)> = Default::default();
    for f in &args[2..] {
        let file = ProblemFile::open(std::path::Path::new(f)).unwrap();
        let name = std::path::Path::new(f).file_stem().unwrap().to_string_lossy().into_owned();
        let key = name[..name.rfind("_s").unwrap()].to_owned();
        let g = groups.entry(key).or_default();
        for load in 0..file.len() {
            let p = file.problem(load).unwrap();
            let pyr = Pyramid::new(&p, 8);
            let mut path = Path::new(&pyr);
            let end = path.follow(scope);
            let c = judge_pyramid(&p, &path.forces(), 8);
            g.0 += 1;
            if end == End::Solved && c.certified { g.1 += 1; } else { eprintln!("{name} {load} {end:?} {:e} piv {}", c.relative, path.pivots); }
            if end == End::Solved { g.2 = g.2.max(c.relative); }
            g.3.push(path.pivots as f64);
            let mut best = f64::MAX;
            let reps = if path.pivots > 2000 {1} else {7};
            for _ in 0..reps { let t = std::time::Instant::now(); path.follow(scope); best = best.min(t.elapsed().as_secs_f64()*1e6); }
            g.4.push(best);
        }
    }
    for (k, g) in &mut groups {
        g.3.sort_by(f64::total_cmp); g.4.sort_by(f64::total_cmp);
        println!("{k:40} {:4}/{:4} worst {:.1e} pivots {:6} us {:9.2}  us/pivot {:.3}", g.1, g.0, g.2, g.3[g.3.len()/2], g.4[g.4.len()/2], g.4[g.4.len()/2]/g.3[g.3.len()/2]);
    }
}
