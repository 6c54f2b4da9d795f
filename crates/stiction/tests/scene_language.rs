//! Parameters, formulas, orientations, included files and bodies lowered onto others.

use glam::{DQuat, DVec3};
use std::path::{Path, PathBuf};
use stiction::scene::Scene;

fn scene(text: &str) -> Scene {
    Scene::parse(text, "s.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(text: &str) -> String {
    Scene::parse(text, "s.toml").map(|_| ()).expect_err(text).to_string()
}

fn near(x: DVec3, y: DVec3) -> bool {
    (x - y).length() <= 1e-12
}

#[test]
fn parameters_are_formulas_of_each_other_in_any_order() {
    let text = "[parameters]\nheight = \"=2 * width\"\nwidth = 0.4\ncount = 3\n\
                [run]\nuntil = \"=width * 5\"\n\
                [[body]]\nname = \"b\"\nbox = [\"=width\", 0.2, \"=height\"]\n\
                at = [0, 0, \"=height / 2\"]\nmass = \"=sqrt(16)\"\n\
                repeat = { count = \"=count\", step = [\"=1 + width\", 0, 0] }\n";
    let scene = scene(text);
    assert!((scene.run.until - 2.0).abs() < 1e-15);
    let id = scene.world.find_body("b.2").expect("a third copy");
    assert!(near(scene.world.pose(id).position, DVec3::new(2.8, 0.0, 0.4)));
    assert!((scene.world.body(id).mass - 4.0).abs() < 1e-15);
}

#[test]
fn faults_of_formulas_name_line_key_and_value() {
    let body = "[[body]]\nname = \"b\"\nball = ";
    for (text, expected) in [
        (
            format!("{body}\"=r\"\n"),
            "s.toml:3: body \"b\".ball: is \"=r\", which has \"r\", an unknown parameter",
        ),
        (format!("[parameters]\nradius = 1\n{body}\"=radios\"\n"), "did you mean \"radius\"?"),
        (
            format!("[parameters]\na = \"=b\"\nb = \"=a\"\n{body}1\n"),
            "needs itself, or too many others",
        ),
        (
            format!("[parameters]\na = \"=1/0\"\n{body}1\n"),
            "s.toml:2: parameters.a: is \"=1/0\", which is inf, not a finite number",
        ),
        (
            format!("[parameters]\na = true\n{body}1\n"),
            "s.toml:2: parameters.a: is true, must be a finite number",
        ),
        (
            format!("[parameters]\npi = 3\n{body}1\n"),
            "needs a name of letters, digits and _ that is not pi",
        ),
        (format!("{body}\"1\"\n"), "body \"b\".ball: is \"1\", must be a finite number"),
        (format!("{body}\"=-1\"\n"), "body \"b\".ball: is \"=-1\", must be positive"),
        (format!("{body}1\nlevels = [\"=1.5\"]\n"), "must be a whole number from 1 to 64"),
    ] {
        let said = refusal(&text);
        assert!(said.contains(expected), "{text}: {said}");
    }
}

#[test]
fn orientations_are_given_in_three_ways() {
    let turned = |key: &str| {
        let text = format!("[[body]]\nname = \"b\"\nball = 1\n{key}\n");
        let scene = scene(&text);
        scene.world.pose(scene.world.find_body("b").expect("a body")).rotation
    };
    let expected =
        DQuat::from_rotation_z(0.5) * DQuat::from_rotation_y(-0.3) * DQuat::from_rotation_x(0.2);
    let degrees = [0.2_f64, -0.3, 0.5].map(f64::to_degrees);
    let euler = turned(&format!("euler_deg = {degrees:?}"));
    let DQuat { x, y, z, w } = expected * 2.0;
    let quaternion = turned(&format!("quaternion = [{w}, {x}, {y}, {z}]"));
    assert!(euler.angle_between(expected) < 1e-7 && quaternion.angle_between(expected) < 1e-7);
    let both = "[[body]]\nname = \"b\"\nball = 1\nturn_deg = { axis = [0, 0, 1], angle = 1 }\neuler_deg = [0, 0, 1]\n";
    assert!(refusal(both).contains("euler_deg: excludes turn_deg"));
    let out = "planar = \"xz\"\n[[body]]\nname = \"b\"\nball = 1\neuler_deg = [10, 0, 0]\n";
    assert!(refusal(out).contains("is not along the normal of the scene's plane"));
    assert!(
        refusal("[[body]]\nname = \"b\"\nball = 1\nquaternion = [0, 0, 0, 0]\n")
            .contains("not all zero")
    );
}

#[test]
fn bodies_are_lowered_until_they_touch() {
    let ground = "[[body]]\nname = \"ground\"\nground = true\n";
    let text = format!(
        "{ground}[[body]]\nname = \"slope\"\npoints = [[2,-1,0],[4,-1,0],[4,-1,2],[2,1,0],[4,1,0],[4,1,2]]\nfixed = true\n\
         [[body]]\nname = \"box\"\nbox = [1, 1, 1]\nat = [0, 0, 7]\nrest_on = \"ground\"\n\
         [[body]]\nname = \"ball\"\nball = 0.25\nat = [0, 0, 9]\nrest_on = [\"ground\", \"box\"]\n\
         [[body]]\nname = \"roller\"\nball = 0.25\nat = [3, 0, 9]\nrest_on = \"*\"\n"
    );
    let world = scene(&text).world;
    let at = |name| world.pose(world.find_body(name).expect("a body")).position;
    assert!(near(at("box"), DVec3::new(0.0, 0.0, 0.5)), "{}", at("box"));
    assert!(near(at("ball"), DVec3::new(0.0, 0.0, 1.25)), "{}", at("ball"));
    // On a slope of 45° the centre is r √2 above it, here above z = x − 2.
    let height = 1.0 + 0.25 * 2_f64.sqrt();
    assert!((at("roller").z - height).abs() < 1e-12, "{}", at("roller"));
    let falls = format!(
        "{ground}[[body]]\nname = \"a\"\nball = 1\nat = [0, 0, 5]\n[[body]]\nname = \"b\"\nball = 1\nat = [4, 0, 9]\nrest_on = \"a\"\n"
    );
    assert!(
        refusal(&falls)
            .contains("body \"b\".rest_on: is not below the body, which would fall past it")
    );
    let deep = format!(
        "{ground}[[body]]\nname = \"a\"\nball = 1\nat = [0, 0, 0.5]\nrest_on = \"ground\"\n"
    );
    assert!(refusal(&deep).contains("which touches it where it is"));
}

/// A folder of its own for files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("stiction-scenes-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (file, text) in files {
        std::fs::write(folder.join(file), text).expect("a file");
    }
    folder
}

fn read_in(folder: &Path, text: &str) -> Result<Scene, String> {
    Scene::parse_in(text, "s.toml", Some(folder)).map_err(|error| error.to_string())
}

const ARM: &str = "gravity = [0, 0, 0]\n[[material]]\nname = \"rubber\"\nfriction = 0.9\n\
    [[body]]\nname = \"post\"\nbox = [0.1, 0.1, 1]\nat = [0, 0, 0.5]\nfixed = true\nmaterial = \"rubber\"\n\
    [[body]]\nname = \"bar\"\nbox = [1, 0.1, 0.1]\nat = [0.6, 0, 0.5]\nvelocity = [0, 0, 1]\nforce = [1, 0, 0]\n\
    [[joint]]\nname = \"pin\"\ntype = \"hinge\"\na = \"bar\"\nb = \"post\"\nanchor = [0.1, 0, 0.5]\naxis = [0, 1, 0]\n\
    [[joint]]\nname = \"rope\"\ntype = \"distance\"\na = \"bar\"\nanchor = [1, 0, 0.5]\nanchor_b = [1, 0, 2]\n";

const PENDULUM: &str = "<mujoco><worldbody><body name=\"bob\" pos=\"0 0 1\"><joint name=\"j\" axis=\"0 1 0\" damping=\"1\"/>\
    <geom size=\"0.1\" pos=\"0 0 -0.5\"/></body></worldbody></mujoco>";

#[test]
fn files_are_included_where_they_are_placed() {
    let folder = folder("include", &[("arm.toml", ARM), ("pendulum.xml", PENDULUM)]);
    let text = "[[include]]\nname = \"left\"\nfile = \"arm.toml\"\nat = [1, 2, 3]\neuler_deg = [0, 0, 90]\n\
                [[include]]\nname = \"p\"\nfile = \"pendulum.xml\"\nrepeat = { count = 2, step = [5, 0, 0] }\n\
                [[joint]]\nname = \"tie\"\ntype = \"fixed\"\na = \"left.bar\"\nanchor = [1, 2, 3]\n";
    let scene = read_in(&folder, text).expect("a scene");
    let world = &scene.world;
    let bar = world.find_body("left.bar").expect("the bar");
    assert!(
        near(world.pose(bar).position, DVec3::new(1.0, 2.6, 3.5)),
        "{}",
        world.pose(bar).position
    );
    assert!(near(world.body(bar).force, DVec3::Y) && near(world.twist(bar).linear, DVec3::Z));
    assert!(near(world.gravity, DVec3::new(0.0, 0.0, -9.81)), "gravity is that of the scene");
    let rope = world.joint(world.find_joint("left.rope").expect("the rope"));
    assert!(near(rope.frame_b.position, DVec3::new(1.0, 3.0, 5.0)), "{}", rope.frame_b.position);
    let bob = world.find_body("p.1.bob").expect("the second bob");
    assert!(near(world.pose(bob).position, DVec3::new(5.0, 0.0, 0.5)));
    let post = world.find_body("left.post").expect("the post");
    assert!(!world.may_touch(bar, post), "joined bodies do not touch");
    let rubber = &world.materials[world.body(post).material];
    assert!((rubber.static_friction - 0.9).abs() < 1e-15);
    assert_eq!(scene.ignored.len(), 1, "{:?}", scene.ignored);
    std::fs::remove_dir_all(folder).expect("a folder");
}

#[test]
fn faults_of_included_files_name_the_file() {
    let me = "[[include]]\nname = \"x\"\nfile = \"me.toml\"\n";
    let twice = "[[include]]\nname = \"x\"\nfile = \"half.toml\"\nrepeat = { count = 400, step = [1, 0, 0] }\n";
    let half = "[[include]]\nname = \"x\"\nfile = \"bad.toml\"\nrepeat = { count = 400, step = [1, 0, 0] }\n";
    let files =
        [("me.toml", me), ("bad.toml", "[[body]]\nname = \"b\"\nball = -1\n"), ("half.toml", half)];
    let folder = folder("faults", &files);
    for (text, expected) in [
        (me, "me.toml:3: include \"x\".file: includes itself"),
        (twice, "bad.toml:3: body \"b\".ball: is -1, must be positive"),
        ("[[include]]\nname = \"x\"\nfile = \"none.toml\"\n", "s.toml:3: include \"x\".file: is "),
        (
            "[[include]]\nname = \"x\"\nfile = \"../s.toml\"\n",
            "which is not below the folder of the scene",
        ),
        ("[[include]]\nfile = \"me.toml\"\n", "needs name"),
    ] {
        let said = read_in(&folder, text).map(|_| ()).expect_err(text);
        assert!(said.contains(expected), "{text}: {said}");
    }
    std::fs::write(folder.join("bad.toml"), "[[body]]\nname = \"b\"\nball = 1\n").expect("a file");
    let said = read_in(&folder, twice).map(|_| ()).expect_err("too many");
    assert!(said.contains("makes more than 100000 bodies"), "{said}");
    std::fs::remove_dir_all(folder).expect("a folder");
}
