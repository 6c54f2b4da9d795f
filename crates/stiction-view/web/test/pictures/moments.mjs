// Times and views of the pictures.
//
// `at`: time (s); `fit`: fit the view to the bodies at that time instead of the start; `turn`: azimuth, height (rad) and
// zoom; `shift`: right and up, as fractions of the picture height; `show`: display options.

/** By scene. */
export const THUMBNAILS = {
  'baraff1989/fig07_incline': { at: 0.15, fit: true, turn: [0, 0, 2.2] },
  'baraff1989/fig08_block': { at: 0.1, turn: [0, 0, 1.25], shift: [0, 0.12] },
  'baraff1989/fig09_vanishing': { at: 0.14, fit: true, turn: [0, 0, 1.5], show: { scale: 0.6 } },
  'baraff1989/fig11_propagation': { at: 0.6, fit: true, turn: [0, 0, 0.95] },
  'baraff1989/fig11_simultaneous': { at: 0.6, fit: true, turn: [0, 0, 0.95] },
  'baraff1989/fig12_propagation': { at: 0.3, fit: true, turn: [0, 0, 1.15], shift: [0, -0.08], show: { scale: 0.6 } },
  'baraff1989/fig12_simultaneous': { at: 0.3, fit: true, turn: [0, 0, 1.15], shift: [0, -0.08], show: { scale: 0.6 } },
  'baraff1989/fig13_struck': { at: 0.22, turn: [0, 0, 1.2] },
  'baraff1989/fig14a_bricks': { at: 0.4, fit: true, turn: [0, 0, 0.85], show: { scale: 0.7 } },
  'baraff1989/fig14b_dominoes': { at: 0.55, turn: [0, 0, 0.85], show: { scale: 0.5 } },
  'baraff1989/fig14c_destructive_chain': { at: 0.66, show: { scale: 0.5 } },
  'baraff1989/fig14d_curling_chain': { at: 0.8, turn: [0, 0, 1.1], show: { scale: 0.25 } },
  'baraff1989/fig14e_two_blocks': { at: 1, turn: [0, 0, 0.85], show: { scale: 0.4 } },
  'baraff1989/fig14f_many_blocks': { at: 2, fit: true, turn: [0, 0, 1.1], show: { scale: 0.15 } },
  'baraff1991/fig01_indeterminate': { at: 0.02, show: { scale: 0.4 } },
  'baraff1991/fig04a_inconsistent': { at: 0.1, show: { scale: 0.4 } },
  'baraff1991/fig04b_skimming': { at: 0.01, show: { scale: 0.4 } },
  'baraff1991/fig06_subset_sum': { at: 0.1, turn: [0, 0, 0.8], show: { scale: 0.8 } },
  'baraff1991/fig10_one_force': { at: 0.01, turn: [0, 0, 0.85], show: { scale: 0.6 } },
  'baraff1991/fig11_complex': { at: 1.1, fit: true, turn: [0, 0, 0.9], shift: [-0.12, 0.12], show: { scale: 0.5 } },
  'baraff1994/fig01_block_feeder': { at: 1.6, turn: [0, 0, 0.92], shift: [0.06, 0.02], show: { scale: 0.5 } },
  'baraff1994/fig02_jack': { at: 1.5, turn: [0, 0, 0.8], show: { scale: 0.3 } },
  'faure1996/fig04_bar': { at: 0.7, turn: [0, 0, 0.9], show: { scale: 0.5 } },
  'faure1996/fig05_four_balls': { at: 1, turn: [0.2, 0, 0.75] },
  'lloyd2004/fig01_block_in_corner': { at: 0.1, shift: [0, 0.04] },
  'lloyd2004/fig01_face_on_face': { at: 0.1, turn: [0.3, 0.1, 0.6] },
  'lloyd2004/fig04_peg_holds': { at: 0.1, show: { scale: 0.5, xray: true } },
  'lloyd2004/fig04_peg_slides': { at: 0.15, show: { scale: 0.5 } },
  'lloyd2004/fig09_stack_pushed': { at: 0.45, turn: [0.2, 0, 0.9], show: { scale: 0.4 } },
  'lloyd2004/fig09_stack_rests': { at: 0.1, turn: [0.3, 0, 0.9], show: { scale: 0.35 } },
};

/** Selects a body by its name, so that the Why panel shows its forces. */
const select = (name) => (page) =>
  page.evaluate((wanted) => {
    const index = window.stiction.scene().bodies.findIndex((body) => body.name === wanted);
    window.stiction.select('body', index);
  }, name);

const contacts = (page) => page.getByRole('tab', { name: 'Contacts' }).click();

/** By name of the picture: scene and number of frames. */
export const SCREENSHOTS = {
  main: {
    scene: 'baraff1994/fig01_block_feeder',
    frames: 320,
    turn: [0, 0, 1.04],
    shift: [0.02, 0.03],
    show: { scale: 0.6 },
    act: contacts,
  },
  jack: { scene: 'baraff1994/fig02_jack', frames: 300, show: { scale: 0.35 }, act: contacts },
  bricks: { scene: 'baraff1989/fig14a_bricks', frames: 80, fit: true, show: { scale: 0.6 }, act: contacts },
  dominoes: {
    scene: 'baraff1989/fig14b_dominoes',
    frames: 110,
    turn: [0, 0, 0.9],
    show: { scale: 0.5 },
    act: contacts,
  },
  why: {
    scene: 'baraff1994/fig01_block_feeder',
    frames: 320,
    turn: [0, 0, 0.95],
    shift: [0.04, 0],
    act: select('pusher'),
  },
  cones: {
    scene: 'lloyd2004/fig09_stack_pushed',
    frames: 30,
    turn: [0.2, 0, 1],
    show: { cones: true, scale: 0.25 },
    act: (page) => page.evaluate(() => window.stiction.select('contact', 0)),
  },
  dark: {
    scene: 'faure1996/fig05_four_balls',
    frames: 200,
    scheme: 'dark',
    turn: [0.2, 0, 0.8],
    show: { cones: true },
    act: contacts,
  },
  phone: {
    scene: 'baraff1994/fig01_block_feeder',
    frames: 320,
    viewport: { width: 400, height: 800 },
    act: async (page) => {
      await page.getByRole('button', { name: 'Hide or show the panels' }).click();
      await select('pusher')(page);
    },
  },
  picker: {
    scene: 'baraff1994/fig01_block_feeder',
    frames: 1,
    act: async (page) => {
      await page.keyboard.press('o');
      await page.waitForTimeout(1000);
    },
  },
};
