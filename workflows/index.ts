export { cleanup } from '#workflows/cleanup.ts';
export { run } from '#workflows/run.ts';
