import type { ResourceChange } from '../../../deploy/collect-changes.ts';
import { formatCount, formatCounted } from '../../output/format.ts';

const verbs: Readonly<Record<string, string>> = { Add: 'added', Modify: 'changed', Remove: 'removed' };
const verbOf = ({ action, isReplaced }: ResourceChange): string => (isReplaced ? 'replaced' : (verbs[action] ?? action));

/** How often each occurs, in the order in which they do. */
export const countEach = (words: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};

/** One line for each type, and one for each resource that is replaced or removed. */
export const changeLines = (changes: readonly ResourceChange[]): readonly string[] => {
  const counts = countEach(changes.map((change) => `${verbOf(change)} ${change.type}`));
  const counted = [...counts].map(([text, count]) => {
    const [verb = '', type = ''] = text.split(' ');
    return `  ${verb.padEnd(8)} ${String(count).padStart(4)}  ${type}`;
  });
  const risky = changes
    .filter((change) => change.isReplaced || change.action === 'Remove')
    .map((change) => {
      const end = change.isRetained ? ', but retained' : '';
      return `  ${verbOf(change).padEnd(8)}       ${change.stack} ${change.logicalId}${end}`;
    });
  return [...counted, ...risky];
};

export const changeSummary = (name: string, changes: readonly ResourceChange[], tense: 'will be' | 'would be'): string => {
  const parts = [...countEach(changes.map(verbOf))].map(([verb, count]) => `${formatCount(count)} ${verb}`);
  return `${name}: ${formatCounted(changes.length, 'resource')} ${tense} touched: ${parts.join(', ')}`;
};
