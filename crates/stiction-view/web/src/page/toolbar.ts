// The tools of the stage: views, following, pulling, pictures. Recordings have no tools that need a live run.

import type { Model } from '../data/model';
import type { StandardView } from '../stage/camera';
import { makeCapture } from '../stage/capture';
import type { Puller, Tool } from '../stage/pull';
import type { Stage } from '../stage/stage';
import { attribute, h, iconButton } from './dom';

const VIEWS: [StandardView, string, string][] = [
  ['angled', '1', 'Standard view'],
  ['front', '2', 'View from the front, along y'],
  ['right', '3', 'View from the right, along −x'],
  ['top', '4', 'View from above, along −z'],
];

function makeViews(stage: Stage): HTMLElement {
  const buttons = VIEWS.map(([view, key, label]) => {
    const button = h(
      'button',
      { type: 'button', class: 'icon-button letter', 'aria-label': label, title: `${label} (${key})` },
      view[0]!.toUpperCase(),
    );
    button.addEventListener('click', () => stage.view(view));
    return button;
  });
  return h('div', { class: 'views', role: 'group', 'aria-label': 'Views' }, ...buttons);
}

/** A button that switches a display option. */
function makeToggles(model: Model, stage: Stage): HTMLButtonElement[] {
  const follow = iconButton(
    'follow',
    'Follow the selected body, or all',
    () => model.changeShow({ follow: !model.show.follow }),
    'L',
  );
  const flat = iconButton(
    'ortho',
    'Without perspective',
    () => model.changeShow({ orthographic: !stage.rig.orthographic }),
    'P',
  );
  const update = () => {
    attribute(follow, 'aria-pressed', String(model.show.follow));
    attribute(flat, 'aria-pressed', String(stage.rig.orthographic));
  };
  model.on('show', update);
  model.on('scene', update);
  update();
  return [follow, flat];
}

/** The tools that pull and turn bodies; shown in live runs only. */
function makePulls(model: Model, puller: Puller): HTMLButtonElement[] {
  const tools: [Tool, HTMLButtonElement][] = [
    ['force', iconButton('pull', 'Pull bodies by dragging', () => choose('force'), 'or Ctrl + right drag')],
    ['torque', iconButton('turn', 'Turn bodies by dragging', () => choose('torque'), 'or Ctrl + left drag')],
  ];
  const choose = (tool: Tool) => {
    puller.tool = puller.tool === tool ? 'look' : tool;
    for (const [name, button] of tools) attribute(button, 'aria-pressed', String(puller.tool === name));
  };
  for (const [, button] of tools) {
    attribute(button, 'aria-pressed', 'false');
    button.hidden = true;
  }
  model.on('status', ({ live }) => {
    for (const [, button] of tools) button.hidden = !live;
  });
  return tools.map(([, button]) => button);
}

export function makeToolbar(model: Model, stage: Stage, puller: Puller): HTMLElement {
  return h(
    'div',
    { class: 'stage-tools', role: 'toolbar', 'aria-label': 'View' },
    iconButton('fit', 'Fit the view to the bodies', () => stage.fit(), 'F'),
    makeViews(stage),
    ...makeToggles(model, stage),
    ...makePulls(model, puller),
    ...makeCapture(model, stage),
  );
}
