// The scene picker: a searchable list of the built-in scenes.

import type { Model } from '../data/model';
import { siblingUrl } from '../data/source';
import { h, iconButton, text } from './dom';

interface Entry {
  id: string;
  title: string;
  figure: string;
  look_for: string;
  bodies: number;
}

export interface Picker {
  button: HTMLElement;
  dialog: HTMLDialogElement;
}

/** The button in the header: shows the current scene and opens the dialog. */
function makeButton() {
  const figure = h('span', { class: 'scene-figure' });
  const title = h('span', { class: 'scene-title' }, 'Stiction');
  const more = h('span', { class: 'scene-more', 'aria-hidden': 'true' }, '▾');
  more.hidden = true;
  const element = h(
    'button',
    {
      type: 'button',
      class: 'scene-button',
      title: 'Choose a scene (O)',
      'aria-haspopup': 'dialog',
      disabled: true,
    },
    title,
    figure,
    more,
  );
  return { element, title, figure, more };
}

function makeCard(model: Model, entry: Entry, choose: () => void): HTMLLIElement {
  const image = h('img', {
    src: siblingUrl(`thumbnails/${entry.id.replaceAll('/', '-')}.png`),
    alt: '',
    loading: 'lazy',
    width: 320,
    height: 200,
  });
  image.addEventListener('error', () => image.remove());
  const card = h(
    'button',
    { type: 'button', class: 'card', 'aria-current': entry.id === model.sceneId ? 'true' : 'false' },
    image,
    h('span', { class: 'card-figure' }, entry.figure || entry.id),
    h('span', { class: 'card-title' }, entry.title),
    h('span', { class: 'card-look' }, entry.look_for),
    h('span', { class: 'card-bodies' }, `${entry.bodies} ${entry.bodies === 1 ? 'body' : 'bodies'}`),
  );
  card.addEventListener('click', choose);
  return h('li', {}, card);
}

/** Whether an entry contains every word of the search. */
function matches(entry: Entry, words: string[]): boolean {
  const all = `${entry.id} ${entry.title} ${entry.figure} ${entry.look_for}`.toLowerCase();
  return words.every((word) => all.includes(word));
}

export function makePicker(model: Model): Picker {
  const list = h('ul', { class: 'cards' });
  const search = h('input', { type: 'search', placeholder: 'Find a scene', 'aria-label': 'Find a scene' });
  const dialog: HTMLDialogElement = h(
    'dialog',
    { class: 'picker', 'aria-label': 'Scenes' },
    h(
      'div',
      { class: 'dialog-head' },
      h('h2', {}, 'Scenes'),
      search,
      iconButton('close', 'Close', () => dialog.close(), 'Esc'),
    ),
    list,
  );
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  const button = makeButton();
  let entries: Entry[] | null = null;

  const choose = (id: string) => {
    model.send({ do: 'scene', id });
    dialog.close();
  };
  const fill = () => {
    if (entries === null) {
      list.replaceChildren(h('li', { class: 'note' }, 'Loading the list of scenes…'));
      return;
    }
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = entries.filter((entry) => matches(entry, words));
    list.replaceChildren(...found.map((entry) => makeCard(model, entry, () => choose(entry.id))));
    if (found.length === 0) list.append(h('li', { class: 'note' }, 'No scene matches.'));
  };
  search.addEventListener('input', fill);
  button.element.addEventListener('click', () => {
    fill();
    dialog.showModal();
  });

  model.on('scene', (scene) => {
    text(button.title, scene.title);
    text(button.figure, scene.figure);
    document.title = `${scene.title} · Stiction`;
    if (model.source?.timeline !== null || entries !== null) return;
    button.element.disabled = button.more.hidden = false;
    // If the list cannot be loaded, the next scene requests it again.
    void fetch(siblingUrl('scenes'))
      .then(async (response) => {
        if (!response.ok) return;
        entries = (await response.json()) as Entry[];
        fill();
      })
      .catch(() => undefined);
  });
  return { button: button.element, dialog };
}
