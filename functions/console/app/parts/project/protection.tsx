import type { ProjectOverview } from '../../data/overview.ts';
import { Badge, type Tone } from '../../ui/data/badge.tsx';
import { Icon } from '../../ui/icon.tsx';

const protections: Readonly<Record<ProjectOverview['protection'], readonly [word: string, tone: Tone]>> = {
  protected: ['Protected', 'good'],
  at_risk: ['At risk', 'warn'],
  unprotected: ['Not protected', 'bad'],
};

/** Nothing has read its backups since they were stored. */
const onlyStored = ['Protected, not verified', 'info'] as const;

export const protectionWords = {
  unprotected: protections.unprotected[0],
  at_risk: protections.at_risk[0],
  protected: protections.protected[0],
} as const;

type Reason = ProjectOverview['reasons'][number];

/** In a few words; the overview's list of what needs attention has whole sentences. */
const reasonWords: Readonly<Partial<Record<Reason['code'], string>>> = {
  NO_BACKUP: 'No good backup',
  PROJECT_UNAUTHORIZED: 'Access was lost',
  BACKUP_DAMAGED: 'Backup is damaged',
  UNUSUAL_CHANGES: 'Unusual changes',
  BACKUP_OVERDUE: 'Backup is overdue',
  SCHEDULE_FAILING: 'Schedule fails',
  LAST_BACKUP_FAILED: 'Last backup failed',
  STORAGE_ERROR: 'Storage has an error',
  PITR_PROBLEM: 'Capture has a problem',
  NOT_SCHEDULED: 'No schedule',
  COLLECTIONS_MISSING: 'Collections are missing',
};

/** Why a project is not protected, or at risk. */
export const reasonsText = (reasons: readonly Reason[]): string =>
  reasons.map(({ code, message }) => reasonWords[code] ?? message).join(' · ');

type ProtectionBadgeProps = Pick<ProjectOverview, 'protection' | 'verified'>;

export const ProtectionBadge = ({ protection, verified }: ProtectionBadgeProps) => {
  const isOnlyStored = protection === 'protected' && !verified;
  const [word, tone] = isOnlyStored ? onlyStored : protections[protection];
  return (
    <Badge tone={tone}>
      <Icon name={protection === 'protected' ? 'shield' : 'alert'} size={13} />
      {word}
    </Badge>
  );
};

/** Whether a project is protected now, and why not. */
export const Protection = ({ reasons, ...state }: ProtectionBadgeProps & Pick<ProjectOverview, 'reasons'>) => (
  <div className="protection">
    <ProtectionBadge {...state} />
    {reasons.length > 0 && <p className="small secondary protection__reason">{reasonsText(reasons)}</p>}
  </div>
);
