//! Limits of arches against the literature, and the speed of many small and one large assembly.

use super::draw::Draw;
use std::f64::consts::PI;
use std::process::ExitCode;
use stiction::glam::DVec3;
use stiction_statics::{
    Assembly, Block, Interface, Options, Statics, Verdict, gallery, stands_all,
};
use stiction_terminal::say;
use stiction_terminal::timing::timed;

#[derive(clap::Args)]
pub struct Arguments {
    /// Voussoirs of the arches whose least thickness and least friction are looked for
    #[arg(long, value_delimiter = ',', default_value = "27,101,401")]
    arches: Vec<usize>,
    /// How many random stacks of 30 boxes are decided in one call
    #[arg(long, default_value_t = 1000)]
    stacks: usize,
    /// Courses of a wall, each with as many bricks, that is decided
    #[arg(long, default_value_t = 0)]
    wall: usize,
}

/// Verdicts alone.
const QUICK: Options = Options { must: false, need_not: false };
/// Boxes of a stack.
const BOXES: usize = 30;
/// Precision of least thicknesses, of the radius.
const FINE: f64 = 1e-7;
/// Parts of a bracket at which a verdict is looked for.
const PROBES: [f64; 5] = [0.5, 0.6, 0.4, 0.75, 0.25];

pub fn run(arguments: &Arguments) -> ExitCode {
    if !arguments.arches.is_empty() {
        say!("semicircular arches, weight on the centre line (limits for very many voussoirs:");
        say!(
            "least thickness 0.107426 of the radius, least friction 0.309215, and there thickness 0.200637)"
        );
        say!(
            "| voussoirs | thickness, μ = 1 | thickness, μ = 0.309215 | least μ, thickness 0.25 |"
        );
        say!("| --- | --- | --- | --- |");
    }
    for &count in &arguments.arches {
        let [rough, slippery] = [1.0, 0.309_215].map(|mu| least_thickness(count, mu));
        let least = Statics::new(&arch(count, 0.25, 0.5)).least_friction().value() * 0.5;
        say!("| {count} | {rough:.7} | {slippery:.7} | {least:.7} |");
    }
    if arguments.stacks > 0 {
        stacks(arguments.stacks);
    }
    if arguments.wall > 0 {
        wall(arguments.wall);
    }
    ExitCode::SUCCESS
}

/// An arch of the gallery with the weight of every voussoir on its centre line.
fn arch(voussoirs: usize, thickness: f64, friction: f64) -> Assembly {
    let mut arch = gallery::arch(voussoirs, thickness, friction);
    let half = 0.5 * PI / voussoirs as f64;
    let free = arch.blocks.iter_mut().filter(|block| !block.fixed);
    for (k, block) in free.enumerate() {
        let (sin, cos) = (half * (2 * k + 1) as f64).sin_cos();
        let radius = half.sin() / half;
        (block.mass, block.centre) = (1.0, DVec3::new(radius * cos, block.centre.y, radius * sin));
    }
    arch
}

/// The least thickness with which an arch can stand: the upper end of a bisection, which ends where nothing near the
/// middle is proved.
fn least_thickness(voussoirs: usize, friction: f64) -> f64 {
    let stands = |thickness: f64| {
        Statics::new(&arch(voussoirs, thickness, friction)).stands(&QUICK).verdict.can()
    };
    let (mut low, mut high) = (0.05_f64, 0.5_f64);
    while high - low > FINE {
        let probe = |part: &f64| {
            let at = low + part * (high - low);
            Some((at, stands(at)?))
        };
        match PROBES.iter().find_map(probe) {
            Some((at, true)) => high = at,
            Some((at, false)) => low = at,
            None => break,
        }
    }
    high
}

fn cuboid(fixed: bool, centre: DVec3, half: DVec3) -> Block {
    let corner = |k: usize| {
        let sign = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
        centre + half * DVec3::new(sign(1), sign(2), sign(4))
    };
    let mass = 8.0 * half.element_product();
    Block { fixed, mass, centre, vertices: (0..8).map(corner).collect(), ..Block::default() }
}

/// The rectangle in which the top of a box touches the bottom of the next; none if they are side by side.
fn bed(blocks: &[Block], a: usize, b: usize) -> Option<Interface> {
    let low = blocks[a].vertices[0].max(blocks[b].vertices[0]);
    let high = blocks[a].vertices[7].min(blocks[b].vertices[7]);
    let at = |x: f64, y: f64| DVec3::new(x, y, blocks[a].vertices[0].z);
    let points = vec![at(low.x, low.y), at(high.x, low.y), at(high.x, high.y), at(low.x, high.y)];
    (high.x > low.x && high.y > low.y).then_some(Interface {
        a,
        b,
        points,
        normal: DVec3::Z,
        friction: 0.5,
    })
}

/// Boxes of random sizes on top of each other, each moved a little.
fn stack(draw: &mut Draw) -> Assembly {
    let mut blocks = vec![cuboid(true, DVec3::new(0.0, 0.0, -0.5), DVec3::new(5.0, 5.0, 0.5))];
    let mut top = 0.0;
    for _ in 0..BOXES {
        let half =
            DVec3::new(draw.uniform(0.3, 0.6), draw.uniform(0.3, 0.6), draw.uniform(0.1, 0.4));
        let centre = DVec3::new(draw.uniform(-0.1, 0.1), draw.uniform(-0.1, 0.1), top + half.z);
        top = centre.z + half.z;
        blocks.push(cuboid(false, centre, half));
    }
    // The same plane on both sides of every bed.
    for k in 1..blocks.len() {
        let z = blocks[k - 1].vertices[7].z;
        blocks[k].vertices.iter_mut().take(4).for_each(|p| p.z = z);
    }
    let interfaces = (1..blocks.len()).filter_map(|k| bed(&blocks, k, k - 1)).collect();
    let gravity = DVec3::new(0.0, 0.0, -9.81);
    Assembly { name: "stack".into(), gravity, blocks, interfaces, ..Assembly::default() }
}

/// Random stacks in one call.
fn stacks(count: usize) {
    let drawn = |number| stack(&mut Draw::new("stacks", 1, number));
    let all: Vec<Assembly> = (0..count as u64).map(drawn).collect();
    let alone = all.iter().map(|one| timed(|| Statics::new(one).stands(&QUICK)).1);
    let each: f64 = alone.sum::<f64>() / 1e6;
    let start = std::time::Instant::now();
    let answers = stands_all(&all, &QUICK);
    let wall = start.elapsed().as_secs_f64();
    let number = |verdict: Verdict| answers.iter().filter(|it| it.verdict == verdict).count();
    let [can, cannot] = [Verdict::Can, Verdict::Cannot].map(number);
    say!("{count} random stacks of {BOXES} boxes: {can} can, {cannot} cannot stand");
    say!("{:.0} per CPU second; {wall:.2} s in one call on all threads", count as f64 / each);
}

/// A wall of bricks in running bond.
fn wall(courses: usize) {
    let half = DVec3::new(0.125, 0.06, 0.03);
    let width = 2.0 * half.x * courses as f64;
    let ground = DVec3::new(width, 1.0, 0.5);
    let mut blocks = vec![cuboid(true, DVec3::new(0.5 * width, 0.0, -0.5), ground)];
    let mut interfaces = Vec::new();
    for course in 0..courses {
        let shift = if course % 2 == 0 { 0.0 } else { half.x };
        for brick in 0..courses {
            let x = half.x * (2 * brick + 1) as f64 + shift;
            let number = blocks.len();
            blocks.push(cuboid(false, DVec3::new(x, 0.0, half.z * (2 * course + 1) as f64), half));
            let below = match course {
                0 => 0..1,
                _ => number - courses - 1..(number - courses + 2).min(number),
            };
            interfaces.extend(below.filter_map(|b| bed(&blocks, number, b)));
        }
    }
    let gravity = DVec3::new(0.0, 0.0, -9.81);
    let wall = Assembly { name: "wall".into(), gravity, blocks, interfaces, ..Assembly::default() };
    let (answer, us) =
        timed(|| Statics::new(&wall).stands(&Options { must: true, need_not: false }));
    let (bricks, points) = (courses * courses, wall.contact_count());
    let name = answer.verdict.name();
    say!("a wall of {bricks} bricks, {points} contact points: {name}, {:.1} CPU s", us / 1e6);
}
