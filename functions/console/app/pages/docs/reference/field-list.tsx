import type { Field } from '../../../../../../shared/docs/schema-fields.ts';
import { formatPlural } from '../../../format/format-number.ts';

interface FieldListProps {
  readonly fields: readonly Field[];
  /** Requests mark required fields, responses those that may be absent. */
  readonly of: 'request' | 'response';
}

/** Fields with types, meaning and limits; nested ones are opened one level at a time. */
export const FieldList = ({ fields, of }: FieldListProps) => (
  <ul className="docs-fields">
    {fields.map((field) => (
      <li key={field.path} className="stack stack--close docs-field">
        <div className="docs-field__head">
          {field.isVariant ? <span className="medium">As {field.name}</span> : <code>{field.name}</code>}
          {!field.isVariant && <span className="small muted regular">{field.type}</span>}
          {of === 'request' && field.isRequired && <span className="docs-field__required">required</span>}
          {of === 'response' && !field.isRequired && <span className="small muted regular">may be absent</span>}
        </div>
        <FieldFacts {...field} />
        {field.children.length > 0 && (
          <details className="docs-field__children">
            <summary>{formatPlural(field.children.length, 'field')}</summary>
            <FieldList fields={field.children} of={of} />
          </details>
        )}
      </li>
    ))}
  </ul>
);

/** What a value means and allows. */
export const FieldFacts = ({ description, values, bounds }: Pick<Field, 'description' | 'values' | 'bounds'>) => (
  <>
    {description && <p className="secondary wrap-anywhere">{description}.</p>}
    {values.length > 0 && (
      <p className="secondary wrap-anywhere">
        {values.length > 1 ? 'One of ' : 'Always '}
        {values.map((value, index) => (
          <span key={value}>
            {index > 0 && ', '}
            <code>{value}</code>
          </span>
        ))}
      </p>
    )}
    {bounds.length > 0 && <p className="small muted">{bounds.join(' · ')}</p>}
  </>
);
