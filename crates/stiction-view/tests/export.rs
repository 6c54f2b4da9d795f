//! A run exported as one page.

mod common;

use common::crate_scene;
use stiction::{Frame, Simulation};
use stiction_view::{ExportError, missing, write_page};

#[test]
fn an_exported_page_is_self_contained() {
    let scene = crate_scene();
    let mut simulation = Simulation::new(&scene);
    let mut frames = vec![Frame::first(&scene.world).encode()];
    frames.extend((0..10).map(|_| simulation.advance().encode()));
    let page = write_page(&scene.describe(), frames.iter().map(Vec::as_slice));
    let Some(reason) = missing() else {
        let page = page.unwrap();
        assert!(page.contains("<title>A crate · Stiction</title>"));
        assert!(!page.contains("src=\"./assets") && !page.contains("href=\"./assets"));
        let (_, after) = page.split_once("id=\"run\">").unwrap();
        let run = after.split_once("</script>").unwrap().0;
        assert!(run.starts_with("H4sI"), "the run is gzip in base64");
        // The script and the run: no string of the script closes its element early.
        assert_eq!(page.matches("</script>").count(), 2);
        return;
    };
    assert!(matches!(page, Err(ExportError::NoPage(given)) if given == reason));
}
