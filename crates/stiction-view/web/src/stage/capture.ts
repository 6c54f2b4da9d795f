// Saves pictures and videos of the stage as files.

import type { Model } from '../data/model';
import { h, iconButton } from '../page/dom';
import type { Stage } from './stage';

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  h('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function makeCapture(model: Model, stage: Stage): HTMLElement[] {
  const name = (ending: string) => {
    const scene = (model.scene?.title ?? 'stiction')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '');
    return `${scene}-${(model.frame?.time ?? 0).toFixed(3)}s.${ending}`;
  };
  const picture = iconButton('camera', 'Save a picture', () => {
    void stage.picture().then((blob) => blob && save(blob, name('png')));
  });
  let recorder: MediaRecorder | null = null;
  const video = iconButton('video', 'Record a video', () => {
    if (recorder !== null) {
      recorder.stop();
      return;
    }
    const kinds = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];
    const mimeType =
      typeof MediaRecorder === 'undefined'
        ? undefined
        : kinds.find((kind) => MediaRecorder.isTypeSupported(kind));
    if (mimeType === undefined) {
      model.emit('message', 'This browser cannot record WebM video.');
      return;
    }
    const pieces: Blob[] = [];
    const now = new MediaRecorder(stage.canvas.captureStream(60), {
      mimeType,
      videoBitsPerSecond: 8_000_000,
    });
    now.ondataavailable = ({ data }) => pieces.push(data);
    now.onstop = () => {
      recorder = null;
      stage.continuous = false;
      video.setAttribute('aria-pressed', 'false');
      save(new Blob(pieces, { type: 'video/webm' }), name('webm'));
    };
    recorder = now;
    stage.continuous = true;
    video.setAttribute('aria-pressed', 'true');
    now.start(1000);
  });
  video.setAttribute('aria-pressed', 'false');
  return [picture, video];
}
