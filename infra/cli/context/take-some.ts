/** The first elements of a long list. */
import { type Command, Option } from 'commander';
import { parseMoment, parsePositive } from '../base/parse-values.ts';
import type { Output } from '../output/output.ts';

export interface LimitOptions {
  readonly limit?: number | undefined;
  readonly all?: boolean | undefined;
}

const limitDefault = 50;

/** `ofPeriod`: the list can be limited to what was created in a period, too. */
export const addLimitOptions = (command: Command, { ofPeriod = false } = {}): Command => {
  if (ofPeriod)
    command
      .option('--from <time>', 'created at this time or later; 7d is seven days ago', parseMoment)
      .option('--to <time>', 'created at this time or earlier', parseMoment);
  return command
    .option('--limit <count>', `list at most this many (default: ${limitDefault})`, parsePositive)
    .addOption(new Option('--all', 'list all of them').conflicts('limit'));
};

/** How many are taken. */
export const limitOf = ({ limit, all }: LimitOptions): number => (all ? Number.POSITIVE_INFINITY : (limit ?? limitDefault));

/** Says on stderr that there are more. */
export const takeSome = async <T>(list: AsyncIterable<T>, options: LimitOptions, output: Output): Promise<readonly T[]> => {
  const max = limitOf(options);
  const taken: T[] = [];
  for await (const one of list) {
    if (taken.length >= max) {
      if (options.limit === undefined) output.note(`Only the first ${max} are listed; --limit or --all lists more`);
      break;
    }
    taken.push(one);
  }
  return taken;
};

/** Large pages save calls. */
export const pageSize = ({ limit, all }: LimitOptions): number => (all ? 100 : Math.min(100, (limit ?? limitDefault) + 1));
