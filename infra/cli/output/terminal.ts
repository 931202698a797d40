/** What the streams of a run can show. */
import { styleText } from 'node:util';
import type { Environment } from '../base/environment.ts';
import type { GlobalOptions } from '../config/settings.ts';

export type Style = Parameters<typeof styleText>[0];

export interface Terminal {
  /** Width of a table; unlimited if the output is piped. */
  readonly columns: number;
  /** Questions can be asked: input and messages are connected to a terminal. */
  readonly isInteractive: boolean;
  /** A line on stderr can be rewritten. */
  readonly hasProgress: boolean;
  /** Colours a text for stdout. */
  paint(style: Style, text: string): string;
  /** Colours a text for stderr. */
  paintNote(style: Style, text: string): string;
}

const columnsDefault = 80;

export const openTerminal = ({ env, stdin, stdout, stderr }: Environment, options: GlobalOptions): Terminal => {
  const isDumb = env.TERM === 'dumb';
  const hasColour = (stream: NodeJS.WriteStream): boolean => {
    if (options.color === false || env.NO_COLOR) return false;
    if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '') return !['0', 'false'].includes(env.FORCE_COLOR);
    return stream.isTTY === true && !isDumb;
  };
  const painter = (stream: NodeJS.WriteStream) => {
    const isOn = hasColour(stream);
    return (style: Style, text: string): string => (isOn ? styleText(style, text, { validateStream: false }) : text);
  };
  return {
    columns: stdout.isTTY ? stdout.columns || columnsDefault : Number.POSITIVE_INFINITY,
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    hasProgress: stderr.isTTY === true && !isDumb && !options.quiet && !options.json,
    paint: painter(stdout),
    paintNote: painter(stderr),
  };
};
