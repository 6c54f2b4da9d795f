//! Frames: their bytes come back as they were, faulty ones are refused, and a run resumes
//! from a checkpoint as if it had never stopped.

use std::path::Path;
use stiction::scene::Scene;
use stiction::{CHECKPOINT, Frame, Simulation};

fn scene(name: &str) -> Scene {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    Scene::read(&folder.join(name)).expect("a scene of ours")
}

#[test]
fn frames_come_back_as_they_were() {
    for name in ["baraff1994/fig02_jack.toml", "baraff1989/fig14a_bricks.toml"] {
        let scene = scene(name);
        let mut run = Simulation::new(&scene);
        let mut frames = vec![run.first()];
        frames.extend((0..30).map(|_| run.advance()));
        for frame in frames {
            assert_eq!(Frame::decode(&frame.encode()).as_ref(), Ok(&frame), "{name}");
        }
    }
}

#[test]
fn damaged_frames_are_refused() {
    let mut run = Simulation::new(&scene("baraff1989/fig08_block.toml"));
    let bytes = run.advance().encode();
    for cut in 0..bytes.len() {
        assert!(Frame::decode(&bytes[..cut]).is_err(), "{cut} bytes");
    }
    let longer = [&bytes[..], &[0; 8]].concat();
    assert!(Frame::decode(&longer).is_err());
    // A huge number of bodies must not be believed.
    let mut boast = bytes.clone();
    boast[24..28].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(Frame::decode(&boast).is_err());
}

#[test]
fn a_run_resumes_from_a_checkpoint_as_if_never_stopped() {
    for (name, stepper) in [
        ("lloyd2004/fig09_stack_rests.toml", "time-stepping"),
        ("baraff1994/fig02_jack.toml", "event-driven"),
    ] {
        let mut scene = scene(name);
        scene.run.stepper = stiction::scene::StepperKind::by_name(stepper).expect("a name");
        let mut run = Simulation::new(&scene);
        let frames: Vec<Frame> = (0..CHECKPOINT + 20).map(|_| run.advance()).collect();
        let kept = &frames[CHECKPOINT as usize - 1];
        let mut again = Simulation::resume(&scene, kept).expect("a frame of this scene");
        for frame in &frames[CHECKPOINT as usize..] {
            assert_eq!(&again.advance(), frame, "{name}");
        }
    }
}
