import { exportFormats, formatWords } from '../../data/export/export-words.ts';
import { Card } from '../../ui/data/card.tsx';
import { Checkbox, Textarea } from '../../ui/form/field.tsx';
import { RadioCards } from '../../ui/form/radio-cards.tsx';
import { type ExportDraft, lineError } from './export-draft.ts';

interface FormatFieldsProps {
  readonly draft: ExportDraft;
  readonly onChange: (part: Partial<ExportDraft>) => void;
  readonly error: unknown;
}

/** The format, and what belongs to CSV alone. */
export const FormatFields = ({ draft, onChange, error }: FormatFieldsProps) => (
  <Card title="Format">
    <div className="stack">
      <RadioCards
        legend="Format"
        isWide
        value={draft.format}
        onChange={(format) => onChange({ format })}
        cards={exportFormats.map((value) => ({ value, title: formatWords[value].name, children: formatWords[value].what }))}
      />
      {draft.format === 'csv' && (
        <div className="form">
          <Textarea
            label="Columns, one per line"
            optional
            hint="Paths of fields such as email or address.city, and __id__, __path__, __createTime__ or __updateTime__. Without any, the columns are found in the data."
            mono
            rows={3}
            spellCheck={false}
            autoCapitalize="off"
            value={draft.columns}
            onChange={({ target }) => onChange({ columns: target.value })}
            error={lineError(error, { field: 'columns', lines: draft.columns })}
          />
          <Checkbox
            label="Leave texts exactly as they are"
            hint="For programs. Otherwise a text that a spreadsheet would run as a formula begins with an apostrophe."
            checked={draft.exactText}
            onChange={({ target }) => onChange({ exactText: target.checked })}
          />
        </div>
      )}
    </div>
  </Card>
);
