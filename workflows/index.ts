export { run } from '#workflows/run.ts';
