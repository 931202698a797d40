import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { usePermission } from '../api/permission.ts';
import type { Attention } from '../data/overview.ts';
import { formatCount } from '../format/format-number.ts';
import { Card } from '../ui/data/card.tsx';
import { TextWithTimes } from '../ui/data/text-with-times.tsx';
import { Time } from '../ui/data/time.tsx';
import { Button } from '../ui/form/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { solveAttention } from './solve-attention.ts';

interface AttentionListProps {
  readonly title: string;
  readonly description?: string;
  readonly actions?: ReactNode;
  readonly attention: readonly Attention[];
}

/** More would push all else from the screen. */
const shownFirst = 5;

/** What needs attention, the most urgent first, as the service orders it. */
export const AttentionList = ({ title, description, actions, attention }: AttentionListProps) => {
  const { isAllowed } = usePermission('member');
  const [isWhole, setWhole] = useState(false);
  if (attention.length === 0) return null;
  const shown = isWhole ? attention : attention.slice(0, shownFirst);
  return (
    <Card title={title} description={description} actions={actions} flush>
      <ul className="attention">
        {shown.map((each) => {
          const { action, to, search = {} } = solveAttention(each, isAllowed);
          return (
            <li key={`${each.kind} ${each.resource.id}`}>
              <Link to={to} search={search as never} className="attention__item">
                <span className={`attention__icon attention__icon--${each.severity}`}>
                  <Icon name="alert" size={18} />
                  <span className="visually-hidden">{each.severity === 'critical' ? 'Critical:' : 'Warning:'}</span>
                </span>
                <span className="attention__text wrap-anywhere">
                  <TextWithTimes text={each.message} startsWithName />
                </span>
                {each.since && (
                  <span className="small muted attention__since">
                    <Time at={each.since} relative />
                  </span>
                )}
                <span className="attention__action">
                  {action}
                  <Icon name="chevronRight" />
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
      {shown.length < attention.length && (
        <div className="load-more">
          <Button size="small" onClick={() => setWhole(true)}>
            {`Show all ${formatCount(attention.length)}`}
          </Button>
        </div>
      )}
    </Card>
  );
};
