/** A report of a period: shown, or as a file of another format. */
import type { Command } from 'commander';
import { badInput } from '../base/cli-failure.ts';
import { parseMoment } from '../base/parse-values.ts';
import { writeText } from '../base/write-text.ts';
import type { Context } from './context.ts';

const formatWords = { csv: 'all lists as one CSV file', html: 'a page to print' } as const;

type FileFormat = keyof typeof formatWords;

export interface ReportOptions {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly csv?: boolean | undefined;
  readonly html?: boolean | undefined;
  readonly out?: string | undefined;
}

/** `formats` are those of the report besides JSON. */
export const addReportOptions = (command: Command, formats: readonly FileFormat[]): Command => {
  command
    .option('--from <time>', 'from this time on; 90d is ninety days ago (default: 30d)', parseMoment)
    .option('--to <time>', 'until this time (default: now)', parseMoment);
  for (const format of formats) command.option(`--${format}`, formatWords[format]);
  const flags = formats.map((format) => `--${format}`).join(', ');
  return command.option('--out <file>', `write it to a file instead of stdout; with ${flags} or --json`);
};

interface Report<T extends object, F extends FileFormat> {
  readonly read: (format: F | 'json') => Promise<T | string>;
  readonly show: (report: T) => void;
}

export const printReport = async <T extends object, F extends FileFormat>(
  { output, environment }: Context,
  { csv, html, out }: ReportOptions,
  { read, show }: Report<T, F>,
): Promise<void> => {
  const flags = [...(csv ? ['csv'] : []), ...(html ? ['html'] : []), ...(output.isJson ? ['json'] : [])];
  if (flags.length > 1) throw badInput(`${flags.map((flag) => `--${flag}`).join(' and ')} exclude each other`);
  const [format] = flags;
  if (out !== undefined && format === undefined) throw badInput('--out needs a format, such as --html or --json');
  const report = await read((format ?? 'json') as F | 'json');
  if (out !== undefined) {
    writeText(out, typeof report === 'string' ? report : `${JSON.stringify(report, undefined, 2)}\n`);
    output.note(`Wrote ${out}`);
  } else if (typeof report === 'string') environment.stdout.write(report);
  else if (output.isJson) output.json(report);
  else show(report);
};
