import { type FormEvent, useState } from 'react';
import { usePermission } from '../../../api/permission.ts';
import { type Project, type ProjectReads, useUpdateProject } from '../../../data/projects.ts';
import { formatCount } from '../../../format/format-number.ts';
import { Card } from '../../../ui/data/card.tsx';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { Input, Select } from '../../../ui/form/field.tsx';
import { SaveButton } from '../../../ui/form/save-button.tsx';

type Unit = 'documents' | 'usd';

/** Sets how much may be read a day; without a number, what the formula allows. */
export const BudgetForm = ({ project, reads }: { readonly project: Project; readonly reads: ProjectReads }) => {
  const current = project.settings.readBudgetPerDay;
  const currentUnit: Unit = current && 'usd' in current ? 'usd' : 'documents';
  const currentText = current ? String('usd' in current ? current.usd : current.documents) : '';
  const [unit, setUnit] = useState<Unit>(currentUnit);
  const [text, setText] = useState(currentText);
  const update = useUpdateProject(project.id);
  const { isAllowed, reason } = usePermission('member');
  const isSame = unit === currentUnit && text === currentText;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const amount = Number(text);
    const readBudgetPerDay = text === '' ? null : unit === 'usd' ? { usd: amount } : { documents: amount };
    update.mutate({ settings: { readBudgetPerDay } });
  };
  return (
    <Card
      title="Budget"
      description="If it is short, the audit slows down first, then counts are made less often. Changes are captured in any case."
    >
      <form className="form" onSubmit={submit}>
        <div className="form__pair">
          <Input
            label="A day"
            optional
            type="number"
            min={unit === 'usd' ? 0.01 : 1}
            step={unit === 'usd' ? 0.01 : 1}
            placeholder={`As needed: ${formatCount(reads.budget.reads)} reads`}
            value={text}
            disabled={!isAllowed}
            onChange={({ target }) => setText(target.value)}
          />
          <Select label="In" value={unit} disabled={!isAllowed} onChange={({ target }) => setUnit(target.value as Unit)}>
            <option value="documents">{reads.readPrice.unit === 'document' ? 'Documents' : 'Read units'}</option>
            <option value="usd">US dollars at the list price</option>
          </Select>
        </div>
        {update.error && <ErrorNotice error={update.error} />}
        <SaveButton busy={update.isPending} isSame={isSame} reason={reason} />
      </form>
    </Card>
  );
};
