use stiction_solvers::*;
fn main(){ let a:Vec<String>=std::env::args().collect(); let f=file::ProblemFile::open(a[1].as_ref()).unwrap(); let p=f.problem(a[2].parse().unwrap()).unwrap();
 let mut n=0; let mut obs=|e:Event|{ n+=1; if n<3000 {eprintln!("{e:?}");} };
 let mut s=baraff1994::Dantzig{restarts:0};
 match s.attempt(&p,None,&mut obs){ Ok(a)=>{ if let Found::Forces(f)=a.found { println!("{}", judge::judge(&p,&f)); for (i,r) in judge::report(&p,&f).iter().enumerate(){ println!("{i} f {:.3e} ft {:.3e} a {:.3e} {:?}", r.normal_force, r.friction_force, r.normal_response, r.mode);} } }, Err(e)=>println!("{e}") } }
