import { problemWords } from '../data/backup-words.ts';
import type { Backup } from '../data/backups.ts';
import { TextWithTimes } from '../ui/data/text-with-times.tsx';

export type Findings = NonNullable<Backup['verification']>['findings'];

/** What is wrong with objects of a backup. */
export const FindingList = ({ findings }: { readonly findings: Findings }) => (
  <ul className="parts__findings">
    {findings.map(({ object, problem, message }) => (
      <li key={`${object} ${problem}`}>
        <strong>{problemWords[problem]}</strong> <code className="wrap-anywhere">{object}</code>
        <div className="small secondary wrap-anywhere">
          <TextWithTimes text={message} />
        </div>
      </li>
    ))}
  </ul>
);
