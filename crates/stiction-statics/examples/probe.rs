use std::time::Instant;
use stiction_statics::{Options, Statics, read};
fn main() {
    for path in std::env::args().skip(1) {
        let a = match read::open(std::path::Path::new(&path), &read::Options::default()) {
            Ok(a) => a,
            Err(e) => {
                println!("{path}: {e}");
                continue;
            }
        };
        let t0 = Instant::now();
        let s = Statics::new(&a);
        let r = s.stands(&Options { must: false, need_not: false });
        let t1 = t0.elapsed().as_secs_f64();
        let t0 = Instant::now();
        let m = s.stands(&Options { must: true, need_not: std::env::var("NEED").is_ok() });
        let t2 = t0.elapsed().as_secs_f64();
        let mut line = format!(
            "{} {} points: {} ({:.4}s) / {} ({:.4}s)",
            path.rsplit('/').next().unwrap(),
            a.contact_count(),
            r.verdict.name(),
            t1,
            m.verdict.name(),
            t2
        );
        let t0 = Instant::now();
        let mut show = |name: &str, m: stiction_statics::Margin| {
            line += &format!(
                " | {name} {:.12?} {:.12?}{}",
                m.at_least.unwrap_or(f64::NAN),
                m.at_most.unwrap_or(f64::NAN),
                if m.unbounded { " unbounded" } else { "" }
            );
        };
        if !a.load.is_empty() {
            show("load", s.load_factor());
        } else {
            show("tilt+x", s.tilt(glam::DVec3::X));
            show("tilt-x", s.tilt(-glam::DVec3::X));
        }
        let tl = t0.elapsed().as_secs_f64();
        let t0 = Instant::now();
        if std::env::var("MU").is_ok() && a.knobs.is_empty() {
            show("mu", s.least_friction());
            println!("mu {:.4}s", t0.elapsed().as_secs_f64());
        }
        if std::env::var("LIMIT").is_ok() {
            show("limit", s.limit_load());
            println!("limit {:.4}s", t0.elapsed().as_secs_f64());
        }
        line += &format!(" ({tl:.4}s)");
        let t0 = Instant::now();
        line += &format!(" ({:.4}s)", t0.elapsed().as_secs_f64());
        println!("{line}");
    }
}
