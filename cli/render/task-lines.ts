import type { Line } from '#cli/render/event-lines.ts';

/** The commands that decide a task. */
export function decisionLines(task: string): Line[] {
  return [
    { tone: 'plain', text: `  approve   setpoint approve ${task}` },
    { tone: 'plain', text: `  reject    setpoint reject ${task}` },
    { tone: 'plain', text: `  push back setpoint push-back ${task} --message "what is to change"` },
  ];
}
