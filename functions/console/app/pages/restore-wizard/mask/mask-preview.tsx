import type { Plan } from '../../../data/restores.ts';
import { formatCount, formatPlural } from '../../../format/format-number.ts';
import { fakeWords, transformWords } from '../../../parts/mask/mask-rules.ts';
import { type Column, Table } from '../../../ui/data/table.tsx';
import { ValueView } from '../../../ui/value/value-tree.tsx';
import { changedFields } from './changed-fields.ts';

type Rule = NonNullable<Plan['ruleMatches']>[number];
type Previewed = NonNullable<Plan['transformPreview']>[number];
type ChangedField = ReturnType<typeof changedFields>[number];
type Value = Parameters<typeof ValueView>[0]['value'];

/** What the rules of a masked copy do: how many documents each one finds, and up to ten documents before and after. */
export const MaskPreview = ({ plan: { transform, ruleMatches, transformPreview } }: { readonly plan: Plan }) => {
  if (!transform) return null;
  return (
    <section className="stack" aria-label="Masked data">
      <h3 className="wizard__subheading">Masked data</h3>
      <p className="secondary">
        {formatPlural(transform.rules, 'rule')} {transform.rules === 1 ? 'changes' : 'change'}{' '}
        {formatPlural(transform.fieldsTransformed ?? 0, 'value')} in{' '}
        {formatPlural(transform.documentsTransformed ?? 0, 'document')}. Hashes and fakes are made anew for each restore; the same
        value becomes the same everywhere in one restore. Documents that no rule touches are copied as they are.
      </p>
      {ruleMatches && (
        <Table label="Rules" columns={ruleColumns} rows={ruleMatches} rowKey={(rule) => ruleKey(rule, ruleMatches)} />
      )}
      {transformPreview?.map((document) => (
        <PreviewedDocument key={document.path} document={document} />
      ))}
    </section>
  );
};

const ruleKey = (rule: Rule, all: readonly Rule[]): string => String(all.indexOf(rule));

const ruleColumns: readonly Column<Rule>[] = [
  {
    key: 'collection',
    label: 'Collection',
    isTitle: true,
    cell: ({ collection }) => <code className="wrap-anywhere">{collection}</code>,
  },
  { key: 'field', label: 'Field', cell: ({ field }) => <code className="wrap-anywhere">{field}</code> },
  {
    key: 'transform',
    label: 'Transform',
    cell: ({ transform, type }) => (type ? `${transformWords[transform]}: ${fakeWords[type]}` : transformWords[transform]),
  },
  {
    key: 'documents',
    label: 'Documents',
    isNumber: true,
    cell: ({ documents }) => (documents === null ? '–' : formatCount(documents)),
  },
];

const fieldColumns: readonly Column<ChangedField>[] = [
  { key: 'field', label: 'Field', isTitle: true, cell: ({ name }) => <code className="wrap-anywhere">{name}</code> },
  { key: 'before', label: 'Before', cell: ({ before }) => <ValueView value={before as Value} /> },
  { key: 'after', label: 'After', cell: ({ after }) => <ValueView value={after as Value} /> },
];

const PreviewedDocument = ({ document: { path, before, after, truncated } }: { readonly document: Previewed }) => {
  const changed = changedFields(before, after);
  return (
    <details className="plan__changes" open>
      <summary>
        <code className="wrap-anywhere">{path}</code>
      </summary>
      <Table label={`Changes of ${path}`} columns={fieldColumns} rows={changed} rowKey={({ name }) => name} />
      {truncated && <p className="small muted">Some fields are too large to show.</p>}
    </details>
  );
};
