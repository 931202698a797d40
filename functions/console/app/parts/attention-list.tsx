import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePermission } from '../api/permission.ts';
import type { Attention } from '../data/overview.ts';
import { Card } from '../ui/data/card.tsx';
import { Time } from '../ui/data/time.tsx';
import { Icon } from '../ui/icon.tsx';
import { solveAttention } from './solve-attention.ts';

interface AttentionListProps {
  readonly title: string;
  readonly description?: string;
  readonly actions?: ReactNode;
  readonly attention: readonly Attention[];
}

/** What needs attention, the most urgent first, as the service orders it. */
export const AttentionList = ({ title, description, actions, attention }: AttentionListProps) => {
  const { isAllowed } = usePermission('member');
  if (attention.length === 0) return null;
  return (
    <Card title={title} description={description} actions={actions} flush>
      <ul className="attention">
        {attention.map((each) => {
          const { action, to, search = {} } = solveAttention(each, isAllowed);
          return (
            <li key={`${each.kind} ${each.resource.id}`}>
              <Link to={to} search={search as never} className="attention__item">
                <span className={`attention__icon attention__icon--${each.severity}`}>
                  <Icon name="alert" size={18} />
                  <span className="visually-hidden">{each.severity === 'critical' ? 'Critical:' : 'Warning:'}</span>
                </span>
                <span className="attention__text wrap-anywhere">{each.message}</span>
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
    </Card>
  );
};
