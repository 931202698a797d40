import { fieldError } from '../../format/describe-failure.ts';
import { Card } from '../../ui/data/card.tsx';
import { CronBuilder } from '../cron/cron-builder.tsx';
import { type CronChoice, cronOf } from '../cron/cron-choice.ts';
import { NextRuns } from '../cron/next-runs.tsx';
import { TimeZoneField } from '../cron/time-zone-field.tsx';

interface When {
  readonly choice: CronChoice;
  readonly timezone: string;
}

interface WhenCardProps {
  readonly when: When;
  readonly onChange: (part: Partial<When>) => void;
  readonly error: unknown;
}

export const WhenCard = ({ when: { choice, timezone }, onChange, error }: WhenCardProps) => (
  <Card title="When">
    <div className="form__split">
      <div className="stack">
        <CronBuilder choice={choice} onChange={(chosen) => onChange({ choice: chosen })} error={fieldError(error, 'cron')} />
        <TimeZoneField value={timezone} onChange={(zone) => onChange({ timezone: zone })} error={fieldError(error, 'timezone')} />
      </div>
      <section className="stack stack--tight">
        <h3>Next five runs</h3>
        <NextRuns cron={cronOf(choice)} timezone={timezone} />
      </section>
    </div>
  </Card>
);
