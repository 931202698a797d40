/** A masked copy for people: how often each rule applies, and documents before and after. */
import type { DataOf } from '../../../shared/client/index.ts';
import { escapeName } from '../../archive/escape-output.ts';
import { toJson } from '../../archive/to-json.ts';
import { formatCount } from './format.ts';
import type { Output } from './output.ts';
import type { Column } from './render-table.ts';

type RestoreJob = DataOf<'GET /backups/restore/{restoreJobId}'>;
export type RuleMatches = NonNullable<RestoreJob['ruleMatches']>;
export type Preview = NonNullable<RestoreJob['transformPreview']>;

const ruleColumns: readonly Column<RuleMatches[number]>[] = [
  { title: 'COLLECTION', value: ({ collection }) => collection, flexible: true },
  { title: 'FIELD', value: ({ field }) => field, flexible: true },
  {
    title: 'TRANSFORM',
    value: ({ transform, type }) => (type === undefined ? transform : `${transform} ${type}`),
    flexible: true,
  },
  { title: 'DOCUMENTS', value: ({ documents }) => (documents === null ? '?' : formatCount(documents)), align: 'right' },
];

export const printPreview = (output: Output, rules: RuleMatches | undefined, preview: Preview | undefined): void => {
  if (rules) {
    output.line('');
    output.table(rules, ruleColumns);
  }
  for (const { path, before, after, truncated } of preview ?? []) {
    output.line('');
    output.line(output.terminal.paint('bold', escapeName(path)));
    for (const name of Object.keys(after)) {
      const [old, fresh] = [toJson(before[name]), toJson(after[name])];
      if (old === fresh) continue;
      output.line(output.terminal.paint('red', `- ${escapeName(name)}: ${escapeName(shortened(old))}`));
      output.line(output.terminal.paint('green', `+ ${escapeName(name)}: ${escapeName(shortened(fresh))}`));
    }
    if (truncated) output.line(output.terminal.paint('dim', '  some fields are too large to show'));
  }
};

const textMax = 200;
const shortened = (text: string): string => (text.length > textMax ? `${text.slice(0, textMax)}…` : text);
