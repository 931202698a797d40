/** Evidence in lines that a person reads. */
import {
  type Evidence,
  type EvidenceComparison,
  hasWrittenAll,
  unwrittenWords,
  writtenDocuments,
} from '../../../shared/archive/index.ts';
import { escapeName } from '../escape-output.ts';
import { grouped } from '../output.ts';

export const describeEvidence = (evidence: Evidence): readonly string[] => {
  const { organization, project, plan, run, result, error, target, counts, collections, digests, check, removal } = evidence;
  const { comparisons, warnings = [], differences, rtoSeconds, service } = evidence;
  const rows: readonly (readonly [string, string | null])[] = [
    ['Result', result === 'passed' ? passedText(evidence) : `FAILED${error ? `: ${error.message} (${error.code})` : ''}`],
    ...warnings.map(({ code, message }) => ['WARNING', `${message} (${code})`] as const),
    ['Organization', named(organization)],
    ['Project', `${named(project)}${project.source === null ? '' : `, ${project.source}`}`],
    ['Plan', named(plan)],
    ['Run', `${run.id}, ${run.requestedBy ? `requested by ${run.requestedBy.email ?? run.requestedBy.id}` : run.trigger}`],
    ['Started', run.startedAt],
    ['Completed', run.completedAt],
    ['Tested', testedText(evidence)],
    ['Scope', scopeText(evidence)],
    ['Target', target ? `${target.projectName} (${target.projectId})` : 'none: the archive was read, nothing was restored'],
    [
      'Read',
      counts && `${grouped(counts.documents)} documents, ${grouped(counts.authUsers)} users, ${grouped(counts.bytes)} bytes`,
    ],
    ['Written', writtenText(evidence)],
    ...collections.map(({ id, documents }) => ['', `${grouped(documents)}  ${escapeName(id)}`] as const),
    ['Index', comparisons && comparisonText(comparisons.index)],
    ['Source', comparisons && comparisonText(comparisons.source)],
    ['Restored', comparisons && comparisonText(comparisons.target)],
    ['Differences', grouped(differences.total)],
    ...differences.items.map(
      (item) => ['', `${escapeName(item.path)}: ${item.message} (${item.kind}, ${item.against})`] as const,
    ),
    ['Check', check && `${check.status}${check.message === null ? '' : `: ${check.message}`}`],
    ['Removed', removal && `${removal.status}, ${grouped(removal.documents)} documents`],
    ['RTO', rtoSeconds === null ? 'not measured: nothing was restored' : `${rtoSeconds} s`],
    ['Durations', durationsText(evidence)],
    ['Manifest', digests.manifest],
    ['Documents', digests.documents],
    ['Service', `${service.version} at ${service.url}`],
  ];
  return rows.flatMap(([label, text]) => (text === null ? [] : [row(label, text)]));
};

/** One line: texts of customers may contain line feeds. */
export const row = (label: string, text: string): string => `${label.padEnd(13)} ${text.replaceAll('\n', '\\n')}`;

const named = ({ id, name }: { readonly id: string; readonly name: string }): string => `${name} (${id})`;

/** Earlier versions signed “passed” for tests that did not write what their target had already. */
const passedText = (evidence: Evidence): string =>
  hasWrittenAll(evidence) ? 'passed' : `NOT PROVEN: ${unwrittenWords(evidence)}, the target had equal documents already`;

const writtenText = (evidence: Evidence): string | null => {
  const written = writtenDocuments(evidence);
  return written === null ? null : `${grouped(written)} documents`;
};

const testedText = ({ tested }: Evidence): string => {
  const { backupId, pointInTime, readTime, pick, days, candidates } = tested;
  const what = [backupId, pointInTime && `the moment ${pointInTime}`].filter(Boolean).join(', ') || 'nothing';
  const how = `${pick}${days === null ? '' : ` of the last ${days} days`}${candidates === null ? '' : `, of ${grouped(candidates)}`}`;
  return `${what} (${how})${readTime === null ? '' : `, data of ${readTime}`}`;
};

const scopeText = ({ scope }: Evidence): string =>
  scope.type === 'all' ? 'all documents' : `${grouped(scope.documentsPerCollection ?? 0)} documents per collection`;

const comparisonText = ({ compared, reason, documents, differences }: EvidenceComparison): string =>
  compared
    ? `${grouped(documents)} documents compared, ${grouped(differences)} differ${reason === null ? '' : `; ${reason}`}`
    : `not compared${reason === null ? '' : `: ${reason}`}`;

const durationsText = ({ durations }: Evidence): string =>
  Object.entries(durations)
    .flatMap(([phase, ms]) => (ms === null ? [] : [`${phase} ${ms} ms`]))
    .join(', ');
