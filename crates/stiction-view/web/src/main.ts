// The entry point of the page: starts the application and connects the source of frames.

import { App } from './app';
import { findSource } from './data/source';
import './style.css';

const app = new App(document.getElementById('app') ?? document.body);
window.stiction = app.handle();
findSource()
  .then((source) => app.model.attach(source))
  .catch((error: unknown) => app.fail(error instanceof Error ? error.message : String(error)));
