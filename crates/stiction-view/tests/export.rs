//! A run as one page.

mod common;

use common::crate_scene;
use stiction::{Frame, Simulation};
use stiction_view::{ExportError, missing, write_page};

#[test]
fn a_page_holds_all_it_needs() {
    let scene = crate_scene();
    let mut simulation = Simulation::new(&scene);
    let mut frames = vec![Frame::first(&scene.world).encode()];
    frames.extend((0..10).map(|_| simulation.advance().encode()));
    let page = write_page(&scene.describe(), frames.iter().map(Vec::as_slice));
    let Some(why) = missing() else {
        let page = page.unwrap();
        assert!(page.contains("<title>A crate · Stiction</title>"));
        assert!(!page.contains("src=\"./assets") && !page.contains("href=\"./assets"));
        let (_, after) = page.split_once("id=\"run\">").unwrap();
        let run = after.split_once("</script>").unwrap().0;
        assert!(run.starts_with("H4sI"), "gzip in base64 begins so");
        // The script, the run, and no element that a string of the script closed too early.
        assert_eq!(page.matches("</script>").count(), 2);
        return;
    };
    assert!(matches!(page, Err(ExportError::NoPage(said)) if said == why));
}
