import { useState } from 'react';
import { isOwnBackup } from '../../../../../../shared/client/index.ts';
import { typeWords } from '../../../data/backup-words.ts';
import type { Backup } from '../../../data/backups.ts';
import { formatAboutUsd, formatCount, formatPlural } from '../../../format/format-number.ts';
import { formatMoment } from '../../../format/format-time.ts';
import { Card } from '../../../ui/data/card.tsx';
import { Button } from '../../../ui/form/button.tsx';
import { Select } from '../../../ui/form/field.tsx';

interface CompareFormProps {
  readonly backup: Backup;
  readonly others: readonly Backup[] | undefined;
  readonly against: string | undefined;
  /** Why the person may not compare with the live database. */
  readonly liveReason: string | undefined;
  readonly isStarted: boolean;
  readonly onCompare: (against: string) => void;
}

/** What the reads of a backup cost, each. */
const usdPerRead = ({ cost }: Backup): number => (cost.reads > 0 ? cost.estimatedUsd / cost.reads : 0);

export const CompareForm = ({ backup, others, against, liveReason, isStarted, onCompare }: CompareFormProps) => {
  const [chosen, choose] = useState(against ?? (liveReason === undefined ? 'live' : (others?.find(isOwnBackup)?.id ?? '')));
  const isLive = chosen === 'live';
  const reason = isLive ? liveReason : chosen === '' ? 'Choose a backup first.' : undefined;
  return (
    <Card>
      <form
        className="compare__form"
        onSubmit={(event) => {
          event.preventDefault();
          onCompare(chosen);
        }}
      >
        <Select label="Compare this backup with" value={chosen} onChange={({ target }) => choose(target.value)}>
          {chosen === '' && <option value="">Choose a backup</option>}
          <option value="live">The live database, as it is now</option>
          {others && others.length > 0 && (
            <optgroup label="Another backup of the project">
              {others.map(({ id, createdAt, type, documentCount }) => (
                <option key={id} value={id}>
                  {formatMoment(new Date(createdAt))} · {typeWords[type]} · {formatPlural(documentCount, 'document')}
                </option>
              ))}
            </optgroup>
          )}
        </Select>
        <Button type="submit" variant={isStarted ? 'secondary' : 'primary'} disabledReason={reason}>
          {isStarted && chosen === against ? 'Compare again' : 'Compare'}
        </Button>
        <p className="small muted compare__hint">
          {isLive ? liveWords(backup) : 'Reads both backups from the storage. Nothing is changed.'}
        </p>
      </form>
    </Card>
  );
};

const liveWords = (backup: Backup): string => {
  const usd = backup.documentCount * usdPerRead(backup);
  const price = usd > 0 ? ` (${formatAboutUsd(usd)})` : '';
  return `Reads every document of the live database. Google bills about ${formatCount(backup.documentCount)} reads${price}, if it is as large as this backup. Nothing is changed.`;
};
