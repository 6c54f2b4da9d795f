// The scene picker: figures of the papers with what to look for.

import { h, iconButton, text } from './dom';
import type { Model } from './model';
import { beside } from './source';

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

export function makePicker(model: Model): Picker {
  const list = h('ul', { class: 'cards' });
  const search = h('input', { type: 'search', placeholder: 'Find a scene', 'aria-label': 'Find a scene' });
  const dialog = h(
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
  const figure = h('span', { class: 'scene-figure' });
  const title = h('span', { class: 'scene-title' }, 'Stiction');
  const more = h('span', { class: 'scene-more', 'aria-hidden': 'true' }, '▾');
  const button = h(
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
  more.hidden = true;
  let entries: Entry[] | null = null;

  const fill = () => {
    if (entries === null) {
      list.replaceChildren(h('li', { class: 'note' }, 'The list is on its way.'));
      return;
    }
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = entries.filter((entry) => {
      const all = `${entry.id} ${entry.title} ${entry.figure} ${entry.look_for}`.toLowerCase();
      return words.every((word) => all.includes(word));
    });
    list.replaceChildren(...found.map(card));
    if (found.length === 0) list.append(h('li', { class: 'note' }, 'No scene has these words.'));
  };
  const card = (entry: Entry) => {
    const image = h('img', {
      src: beside(`thumbnails/${entry.id.replaceAll('/', '-')}.png`),
      alt: '',
      loading: 'lazy',
      width: 320,
      height: 200,
    });
    image.addEventListener('error', () => image.remove());
    const choose = h(
      'button',
      { type: 'button', class: 'card', 'aria-current': entry.id === model.sceneId ? 'true' : 'false' },
      image,
      h('span', { class: 'card-figure' }, entry.figure || entry.id),
      h('span', { class: 'card-title' }, entry.title),
      h('span', { class: 'card-look' }, entry.look_for),
      h('span', { class: 'card-bodies' }, `${entry.bodies} ${entry.bodies === 1 ? 'body' : 'bodies'}`),
    );
    choose.addEventListener('click', () => {
      model.send({ do: 'scene', id: entry.id });
      dialog.close();
    });
    return h('li', {}, choose);
  };
  search.addEventListener('input', fill);
  button.addEventListener('click', () => {
    fill();
    dialog.showModal();
  });

  model.on('scene', (scene) => {
    text(title, scene.title);
    text(figure, scene.figure);
    document.title = `${scene.title} · Stiction`;
    if (model.source?.timeline !== null || entries !== null) return;
    button.disabled = more.hidden = false;
    // A list that could not be read is asked for again with the next scene.
    void fetch(beside('scenes'))
      .then(async (answer) => {
        if (!answer.ok) return;
        entries = (await answer.json()) as Entry[];
        fill();
      })
      .catch(() => undefined);
  });
  return { button, dialog };
}
