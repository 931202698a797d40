import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Overview, ProjectOverview } from '../../data/overview.ts';
import { formatBytes, formatCount, formatPlural } from '../../format/format-number.ts';
import { filteredFrom } from '../../parts/project/project-list.tsx';
import { reasonsText } from '../../parts/project/protection.tsx';
import { paths } from '../../paths.ts';
import { Fact } from '../../ui/data/fact.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';

interface Verdict {
  readonly tone: 'good' | 'warn' | 'bad' | 'info';
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
  readonly step?: Step;
}

/** Where one goes from here. */
interface Step {
  readonly label: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

interface StateCount {
  readonly total: number;
  /** The one that it is about, if it is only one. */
  readonly only: ProjectOverview | undefined;
}

/** Few projects are all in sight. */
const showState = (state: ProjectOverview['protection'], { total, only }: StateCount): { readonly step: Step } | undefined => {
  if (total < filteredFrom) return undefined;
  if (only) return { step: { label: 'Show the project', to: paths.project(only.id) } };
  return { step: { label: 'Show them', to: paths.projects, search: { protection: state } } };
};

const verdictOf = ({ totals, projects }: Overview): Verdict => {
  const { projects: count, unprotected, atRisk, unverified, proven } = totals;
  const onlyOf = (state: ProjectOverview['protection'], number: number): ProjectOverview | undefined =>
    number === 1 ? projects.find(({ protection }) => protection === state) : undefined;
  const named = (state: ProjectOverview['protection'], number: number): string => {
    const only = onlyOf(state, number);
    return only ? `${only.name} is` : formatPlural(number, 'project is', 'projects are');
  };
  if (unprotected > 0)
    return {
      tone: 'bad',
      icon: 'alert',
      title: `${named('unprotected', unprotected)} not protected${atRisk > 0 ? `, ${formatCount(atRisk)} at risk` : ''}`,
      text:
        unprotected === 1
          ? 'Data lost in the unprotected project now could not be restored.'
          : 'Data lost in the unprotected projects now could not be restored.',
      ...showState('unprotected', { total: count, only: onlyOf('unprotected', unprotected) }),
    };
  if (atRisk > 0)
    return {
      tone: 'warn',
      icon: 'alert',
      title: `${named('at_risk', atRisk)} at risk`,
      text: onlyOf('at_risk', atRisk)
        ? `It has backups, but: ${reasonsText(onlyOf('at_risk', atRisk)?.reasons ?? [])}.`
        : 'Backups exist, but something keeps them from being as good as planned.',
      ...showState('at_risk', { total: count, only: onlyOf('at_risk', atRisk) }),
    };
  if (unverified > 0)
    return {
      tone: 'info',
      icon: 'shield',
      title: `${allOf(count, projects)} protected, ${unverified === count ? 'not' : `${formatCount(unverified)} not`} verified`,
      text: 'Their backups are stored, but nothing has read them since. Verify them, or test a restore.',
      step: { label: 'Choose backups to verify', to: paths.backups },
    };
  return {
    tone: 'good',
    icon: 'shield',
    title: `${allOf(count, projects)} protected`,
    text: `Every project has a good backup that is as recent as its schedule asks for. ${provenWords(count, proven)}`,
    ...(proven < count && { step: { label: 'Test a restore', to: paths.restoreTests } }),
  };
};

/** Backups that restore are more than backups that exist. */
const provenWords = (count: number, proven: number): string => {
  if (proven >= count) return 'Restores have been tested.';
  return proven === 0
    ? 'No restore has been tested yet.'
    : `No restore of ${formatPlural(count - proven, 'project')} has been tested yet.`;
};

const allOf = (count: number, projects: Overview['projects']): string =>
  count === 1 ? `${projects[0]?.name ?? 'Your project'} is` : `All ${formatCount(count)} projects are`;

/** Whether all is well, in one line, and the numbers behind it. */
export const Summary = ({ overview }: { readonly overview: Overview | undefined }) => {
  const { tone, icon, title, text, step } = overview ? verdictOf(overview) : loading;
  const totals = overview?.totals;
  return (
    <section className={`summary summary--${tone}`} aria-label="Protection" aria-busy={!overview}>
      <div className="summary__verdict">
        <span className="summary__icon">
          <Icon name={icon} size={24} />
        </span>
        <div className="summary__words">
          {overview ? <h2 className="wrap-anywhere">{title}</h2> : <Skeleton width="14rem" height="1.4rem" />}
          {overview ? (
            <p className="secondary">
              {text}{' '}
              {step && (
                <Link to={step.to} search={(step.search ?? {}) as never} className="nowrap">
                  {step.label}
                </Link>
              )}
            </p>
          ) : (
            <Skeleton width="20rem" height="1.3rem" />
          )}
        </div>
      </div>
      <dl className="figures">
        <Total label="Protected" to={paths.projects}>
          {totals && (
            <>
              {formatCount(totals.protected)}
              <span className="figures__of"> of {formatCount(totals.projects)}</span>
            </>
          )}
        </Total>
        <Total label="Restore tested" to={paths.restoreTests}>
          {totals && (
            <>
              {formatCount(totals.proven)}
              <span className="figures__of"> of {formatCount(totals.projects)}</span>
            </>
          )}
        </Total>
        {/* The number has internal backups, too, which lists hide if not asked for. */}
        <Total label="Backups" to={paths.backups} search={{ internal: 'show' }}>
          {totals && formatCount(totals.backups)}
        </Total>
        <Total label="Stored" to={paths.storage}>
          {totals && formatBytes(totals.storedBytes)}
        </Total>
        <Total label="Running now">{totals && formatCount(totals.runningJobs)}</Total>
      </dl>
    </section>
  );
};

const loading: Verdict = { tone: 'info', icon: 'shield', title: '', text: '' };

interface TotalProps {
  readonly label: string;
  /** The page that lists what is counted. */
  readonly to?: string;
  readonly search?: Readonly<Record<string, string>>;
  /** Undefined while it loads. */
  readonly children: ReactNode;
}

const Total = ({ label, to, search = {}, children }: TotalProps) => (
  <Fact label={label} className="number">
    {children === undefined ? (
      <Skeleton width="3.5rem" height="1.35em" />
    ) : to === undefined ? (
      children
    ) : (
      <Link to={to} search={search as never} className="figures__link">
        {children}
      </Link>
    )}
  </Fact>
);
