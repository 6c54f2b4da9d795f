// Moments worth seeing: when, and from where.
//
// `at`: time (s); `fit`: look at where the bodies are then, not where they began; `turn`: azimuth and height (rad) and
// zoom; `shift`: right and up, in parts of the height of the picture; `show`: what is drawn.

/** By scene. */
export const THUMBNAILS = {
  'baraff1989/fig07_incline': { at: 0.3 },
  'baraff1989/fig08_block': { at: 0.3 },
  'baraff1989/fig11_propagation': { at: 0.35 },
  'baraff1989/fig11_simultaneous': { at: 0.35 },
  'baraff1989/fig14a_bricks': { at: 0.5 },
  'baraff1989/fig14b_dominoes': { at: 0.9 },
  'baraff1989/fig14c_destructive_chain': { at: 1 },
  'baraff1989/fig14d_curling_chain': { at: 0.8 },
  'baraff1989/fig14e_two_blocks': { at: 1 },
  'baraff1989/fig14f_many_blocks': { at: 1.5 },
  'baraff1991/fig11_complex': { at: 2 },
  'baraff1994/fig01_block_feeder': { at: 1.6 },
  'baraff1994/fig02_jack': { at: 1.5 },
  'faure1996/fig05_four_balls': { at: 1 },
};

/** By name of the picture: scene, frames from its start. */
export const SCREENSHOTS = {
  main: { scene: 'baraff1994/fig01_block_feeder', frames: 320 },
  jack: { scene: 'baraff1994/fig02_jack', frames: 300 },
  bricks: { scene: 'baraff1989/fig14a_bricks', frames: 90 },
  dominoes: { scene: 'baraff1989/fig14b_dominoes', frames: 180 },
};
