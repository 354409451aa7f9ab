import type { Plan } from '#core/plan/plan.ts';

/** What to type after a definition was written. */
export function nextCommands(file: string, plan: Plan): string[] {
  const inputs = Object.entries(plan.inputs).flatMap(([name, input]) =>
    input.required && input.default === undefined ? [` --input ${name}="…"`] : [],
  );
  return ['Next:', `  setpoint plan ${shellWord(file)}`, `  setpoint run ${shellWord(file)}${inputs.join('')}`];
}

function shellWord(text: string): string {
  return /^[\w./@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
