import type { ResourceChange } from '../../../deploy/collect-changes.ts';
import { formatCounted } from '../../output/format.ts';

const verbs: Readonly<Record<string, string>> = { Add: 'added', Modify: 'changed', Remove: 'removed' };
const verbOf = ({ action, isReplaced }: ResourceChange): string => (isReplaced ? 'replaced' : (verbs[action] ?? action));

/** One line for each type, and one for each resource that is replaced or removed. */
export const changeLines = (changes: readonly ResourceChange[]): readonly string[] => {
  const grouped = Map.groupBy(changes, (change) => `${verbOf(change)} ${change.type}`);
  const counted = [...grouped].map(([, [first, ...more]]) =>
    first ? `  ${verbOf(first).padEnd(8)} ${String(more.length + 1).padStart(4)}  ${first.type}` : '',
  );
  const risky = changes
    .filter((change) => change.isReplaced || change.action === 'Remove')
    .map(
      (change) =>
        `  ${verbOf(change).padEnd(8)}       ${change.stack} ${change.logicalId}${change.isRetained ? ', but retained' : ''}`,
    );
  return [...counted, ...risky];
};

export const changeSummary = (name: string, changes: readonly ResourceChange[], tense: 'will be' | 'would be'): string => {
  const counts = Map.groupBy(changes, verbOf);
  const parts = [...counts].map(([verb, its]) => `${its.length} ${verb}`);
  return `${name}: ${formatCounted(changes.length, 'resource')} ${tense} touched: ${parts.join(', ')}`;
};
