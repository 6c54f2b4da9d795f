// Dropping a scene file on the page: a live run shows it.

import type { Model } from '../data/model';

/** Longest text that the server accepts, with room for the rest of the message (bytes). */
const LONGEST = 1000 * 1024;

export function acceptDrops(model: Model, target: HTMLElement): void {
  const carriesFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  const mark = (on: boolean) => target.classList.toggle('dropping', on);
  target.addEventListener('dragover', (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    mark(true);
  });
  target.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) mark(false);
  });
  target.addEventListener('drop', (event) => {
    mark(false);
    const file = event.dataTransfer?.files[0];
    if (file === undefined) return;
    event.preventDefault();
    void open(model, file);
  });
}

async function open(model: Model, file: File): Promise<void> {
  if (!/\.(toml|xml|urdf)$/.test(file.name)) {
    model.emit('message', `${file.name} is not a scene: scenes end in .toml, robot models in .xml or .urdf.`);
  } else if (file.size > LONGEST) {
    model.emit('message', `${file.name} is too long; open it with stiction view ${file.name}.`);
  } else {
    model.load(file.name, await file.text());
  }
}
