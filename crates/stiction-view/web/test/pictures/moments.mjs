// Times and views of the pictures.
//
// `at`: time (s); `fit`: fit the view to the bodies at that time instead of the start; `turn`: azimuth, height (rad) and
// zoom; `shift`: right and up, as fractions of the picture height; `show`: display options.

/** By scene. */
export const THUMBNAILS = {
  'baraff1989/fig07_incline': { at: 0.15, fit: true },
  'baraff1989/fig08_block': { at: 0.1 },
  'baraff1989/fig09_vanishing': { at: 0.14, fit: true },
  'baraff1989/fig11_propagation': { at: 0.6, fit: true },
  'baraff1989/fig11_simultaneous': { at: 0.6, fit: true },
  'baraff1989/fig12_propagation': {
    at: 0.3,
    fit: true,
  },
  'baraff1989/fig12_simultaneous': {
    at: 0.3,
    fit: true,
  },
  'baraff1989/fig13_struck': { at: 0.22 },
  'baraff1989/fig14a_bricks': { at: 0.4, fit: true },
  'baraff1989/fig14b_dominoes': { at: 0.55 },
  'baraff1989/fig14c_destructive_chain': { at: 0.66 },
  'baraff1989/fig14d_curling_chain': { at: 0.8 },
  'baraff1989/fig14e_two_blocks': { at: 1 },
  'baraff1989/fig14f_many_blocks': { at: 2, fit: true },
  'baraff1991/fig01_indeterminate': { at: 0.02 },
  'baraff1991/fig04a_inconsistent': { at: 0.1 },
  'baraff1991/fig04b_skimming': { at: 0.01 },
  'baraff1991/fig06_subset_sum': { at: 0.1 },
  'baraff1991/fig10_one_force': { at: 0.01 },
  'baraff1991/fig11_complex': {
    at: 1.1,
    fit: true,
  },
  'baraff1994/fig01_block_feeder': { at: 1.6 },
  'baraff1994/fig02_jack': { at: 1.5 },
  'faure1996/fig04_bar': { at: 0.7 },
  'faure1996/fig05_four_balls': { at: 1, turn: [0.2, 0, 1] },
  'lloyd2004/fig01_block_in_corner': { at: 0.1 },
  'lloyd2004/fig01_face_on_face': { at: 0.1, turn: [0.3, 0.1, 1] },
  'lloyd2004/fig04_peg_holds': { at: 0.1, show: { xray: true } },
  'lloyd2004/fig04_peg_slides': { at: 0.15 },
  'lloyd2004/fig09_stack_pushed': { at: 0.45, turn: [0.2, 0, 1] },
  'lloyd2004/fig09_stack_rests': { at: 0.1, turn: [0.3, 0, 1] },
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
    act: contacts,
  },
  jack: { scene: 'baraff1994/fig02_jack', frames: 300, act: contacts },
  bricks: { scene: 'baraff1989/fig14a_bricks', frames: 80, fit: true, act: contacts },
  dominoes: {
    scene: 'baraff1989/fig14b_dominoes',
    frames: 110,
    act: contacts,
  },
  why: {
    scene: 'baraff1994/fig01_block_feeder',
    frames: 320,
    act: select('pusher'),
  },
  cones: {
    scene: 'lloyd2004/fig09_stack_pushed',
    frames: 30,
    turn: [0.2, 0, 1],
    show: { cones: 'all' },
    act: (page) => page.evaluate(() => window.stiction.select('contact', 0)),
  },
  dark: {
    scene: 'faure1996/fig05_four_balls',
    frames: 200,
    scheme: 'dark',
    turn: [0.2, 0, 1],
    show: { cones: 'all' },
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
