//! profile
use stiction_solvers::*;
fn main(){ let a:Vec<String>=std::env::args().collect(); let f=file::ProblemFile::open(a[1].as_ref()).unwrap(); let n:usize=a[2].parse().unwrap();
 let ps:Vec<_>=(0..5).map(|k|f.problem(k).unwrap()).collect();
 let mut s=baraff1994::Dantzig::default();
 let t=std::time::Instant::now();
 for _ in 0..n { for p in &ps { let _=std::hint::black_box(s.attempt(p,None,&mut Blind)); } }
 println!("{:.1} us", t.elapsed().as_secs_f64()*1e6/(5*n) as f64); }
