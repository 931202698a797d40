import { Link } from '@tanstack/react-router';
import { type ComponentProps, useState } from 'react';
import type { Fields } from '../../../../../shared/client/index.ts';
import { type KnownVersion, versionsOf } from '../../../../../shared/client/index.ts';
import type { LocatedDocument } from '../../data/documents.ts';
import { formatPlural } from '../../format/format-number.ts';
import { formatMoment } from '../../format/format-time.ts';
import { FieldDiff } from '../../parts/field-diff.tsx';
import { paths } from '../../paths.ts';
import { Badge, type Tone } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { FieldTree } from '../../ui/value/value-tree.tsx';
import { RestoreVersion } from './restore-version.tsx';

interface FoundDocumentProps {
  readonly located: LocatedDocument;
  /** Other places to look, if it is not found. */
  readonly otherProjects: readonly { readonly id: string; readonly name: string }[];
  /** What the person asked for. */
  readonly searched: string;
  readonly onAgain: () => void;
  /** Loads older backups. */
  readonly search: ComponentProps<typeof LoadMore>['query'];
}

const othersMax = 3;

/** Where the document exists, the chosen state beside the live one, and its restore. */
export const FoundDocument = ({ located, otherProjects, searched, onAgain, search }: FoundDocumentProps) => {
  const { path, projectName, summary, examined, live, notSearched } = located;
  const versions = versionsOf(located);
  const [chosen, choose] = useState<string>();
  const version = versions.find(({ key }) => key === chosen) ?? versions.find(({ isRecommended }) => isRecommended);
  const earlier = version && stateBefore(versions, version);
  const isErased = versions.length > 0 && versions.every(({ state }) => state === 'erased' || state === 'missing');
  if (path === null || (!summary.found && !versions.some(({ state }) => state === 'erased')))
    return (
      <Card>
        <EmptyState
          icon="search"
          title="Not found"
          actions={
            <>
              {search.hasNextPage ? (
                <Button variant="primary" busy={search.isFetchingNextPage} onClick={() => void search.fetchNextPage()}>
                  Search older backups
                </Button>
              ) : (
                <Button onClick={onAgain}>Search again</Button>
              )}
              {otherProjects.slice(0, othersMax).map(({ id, name }) => (
                <ButtonLink key={id} to={paths.findDocument({ path: searched, projectId: id })}>
                  Look in {name}
                </ButtonLink>
              ))}
            </>
          }
        >
          {path === null ? 'No root collection has a document with this id' : <code className="wrap-anywhere">{path}</code>}
          {path === null
            ? ` in the newest backups, the live database or the captured changes of ${projectName}`
            : ` does not exist now, ${absence(examined, search.hasNextPage)} of ${projectName}`}
          . {search.hasNextPage ? 'Older backups may have it.' : 'Check the path, or choose another project.'}
          {notSearched.length > 0 && (
            <> Not everything could be searched: {notSearched.map(({ message }) => message).join(' ')}</>
          )}
        </EmptyState>
      </Card>
    );
  return (
    <div className="find__result">
      <Card title={<span className="wrap-anywhere">{path}</span>} description={projectName}>
        <Facts located={located} isErased={isErased} />
      </Card>
      <div className="find__columns">
        <Card flush title="Where it exists" description={`Newest first; ${formatPlural(examined, 'backup')} examined.`}>
          <ol className="find__timeline" aria-label="States of the document">
            <LiveRow located={located} />
            {versions.map((one) => (
              <VersionRow key={one.key} version={one} isChosen={one === version} onChoose={() => choose(one.key)} />
            ))}
          </ol>
          <LoadMore query={search} label="Search older backups" />
        </Card>
        <div className="stack">
          {version?.source ? (
            <>
              {!version.isLive && <RestoreVersion key={version.key} located={located} version={version} />}
              <Card
                title={`As of ${formatMoment(new Date(version.at))}`}
                description={live?.exists ? 'Beside the live document.' : 'There is no live document to compare with.'}
              >
                <Contents path={path} live={live} version={version} />
              </Card>
              {earlier?.document && version.document && (
                <Card title="What had changed then" description={`Beside the state of ${formatMoment(new Date(earlier.at))}.`}>
                  <FieldDiff
                    path={path}
                    before={earlier.document}
                    after={version.document}
                    columns={[
                      ['before', 'Before'],
                      ['after', 'Then'],
                    ]}
                  />
                </Card>
              )}
            </>
          ) : (
            <>
              <Notice title={isErased ? 'This document was erased' : 'Nothing to restore'}>
                {isErased
                  ? 'The erasure ledger of the project hides it in every backup. It cannot be restored.'
                  : live?.exists
                    ? 'Every stored state is the same as the live document.'
                    : 'No examined backup and no moment has it.'}
              </Notice>
              {live?.document && !isErased && (
                <Card title="Live now" description="As every stored state.">
                  <FieldsOf document={live.document} />
                </Card>
              )}
            </>
          )}
        </div>
      </div>
    </div>
  );
};

/** Of the backups that were looked at. */
const absence = (examined: number, hasOlder: boolean): string => {
  if (examined === 0) return 'and there is no backup';
  if (hasOlder) return `nor in the newest ${formatPlural(examined, 'backup')}`;
  return examined === 1 ? 'nor in the only backup' : `nor in any of the ${formatPlural(examined, 'backup')}`;
};

/** The newest older state with other contents, if the document existed before. */
const stateBefore = (versions: readonly KnownVersion[], { key, contentHash }: KnownVersion): KnownVersion | undefined => {
  const older = versions.slice(versions.findIndex((one) => one.key === key) + 1);
  return older.find(({ state, contentHash: hash }) => state === 'missing' || state === 'deleted' || hash !== contentHash);
};

interface ContentsProps {
  readonly path: string;
  readonly live: LocatedDocument['live'];
  readonly version: KnownVersion;
}

/** The chosen state beside the live document; alone if there is none. */
const Contents = ({ path, live, version: { document, isLive, kind } }: ContentsProps) => {
  if (isLive) return <p className="secondary">The live document has the same fields.</p>;
  if (!document || document.fieldsTooLarge)
    return <p className="secondary">Its fields are too old or too large to be shown here. The plan says what happens.</p>;
  if (!live?.document) return <FieldsOf document={document} />;
  return (
    <FieldDiff
      path={path}
      before={document}
      after={live.document}
      columns={[
        ['before', kind === 'backup' ? 'In the backup' : 'At that moment'],
        ['after', 'Live now'],
      ]}
    />
  );
};

const FieldsOf = ({ document: { fields } }: { readonly document: NonNullable<KnownVersion['document']> }) =>
  Object.keys(fields ?? {}).length === 0 ? (
    <p className="secondary">This document has no fields.</p>
  ) : (
    <FieldTree fields={fields as Fields} />
  );

const Facts = ({ located: { live, summary }, isErased }: { readonly located: LocatedDocument; readonly isErased: boolean }) => (
  <dl className="facts">
    <Fact label="Live now">
      {live?.exists === true ? (
        <Badge tone="good">Exists</Badge>
      ) : live?.exists === false ? (
        <Badge tone="bad">Does not exist</Badge>
      ) : (
        <>
          <Badge tone="warn">Not known</Badge> <span className="small secondary">{live?.message}</span>
        </>
      )}
    </Fact>
    {isErased && (
      <Fact label="Backups">
        <Badge tone="neutral">Erased</Badge>
      </Fact>
    )}
    {summary.vanishedBetween && (
      <Fact label="Vanished between" isLong>
        <Time at={summary.vanishedBetween.from} seconds /> and <Time at={summary.vanishedBetween.to} seconds />
      </Fact>
    )}
    {summary.lastSeen && live?.exists !== true && (
      <Fact label="Last seen">
        <Time at={summary.lastSeen} relative />
      </Fact>
    )}
    {summary.lastChangedAt && (
      <Fact label="Last changed">
        <Time at={summary.lastChangedAt} relative />
      </Fact>
    )}
  </dl>
);

const LiveRow = ({ located: { live } }: { readonly located: LocatedDocument }) => (
  <li className="find__state">
    <span
      className={`find__dot find__dot--${live?.exists ? 'good' : live?.exists === false ? 'bad' : 'warn'}`}
      aria-hidden="true"
    />
    <div className="find__text">
      <strong>Live now</strong>
      <span className="small secondary">
        {live?.exists ? (
          <>
            written <Time at={live.updateTime} />
          </>
        ) : live?.exists === false ? (
          'does not exist'
        ) : (
          live?.message
        )}
      </span>
    </div>
  </li>
);

const states: Readonly<Record<KnownVersion['state'], readonly [word: string, tone: Tone]>> = {
  exists: ['Exists', 'good'],
  missing: ['Does not exist', 'bad'],
  deleted: ['Deleted', 'bad'],
  erased: ['Erased', 'neutral'],
  unknown: ['Not known', 'warn'],
};

interface VersionRowProps {
  readonly version: KnownVersion;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

const VersionRow = ({ version, isChosen, onChoose }: VersionRowProps) => {
  const { at, kind, state, backups, backupId, isRecommended, isLive, source, message } = version;
  const [word, tone] = states[state];
  const what =
    kind === 'change'
      ? state === 'deleted'
        ? 'Deletion captured'
        : 'Version captured'
      : `Backup${backups > 1 ? ` and ${formatPlural(backups - 1, 'older one')} alike` : ''}`;
  const text = (
    <>
      <span className={`find__dot find__dot--${tone}`} aria-hidden="true" />
      <span className="find__text">
        <span className="row">
          <Time at={at} />
          {isRecommended && <Badge tone="info">Recommended</Badge>}
          {isLive && <Badge tone="neutral">Same as live</Badge>}
          {state !== 'exists' && <Badge tone={tone}>{word}</Badge>}
        </span>
        <span className="small secondary">{message ?? what}</span>
      </span>
    </>
  );
  return (
    <li className={isChosen ? 'find__state find__state--chosen' : 'find__state'}>
      {source ? (
        <button type="button" className="find__choose" aria-pressed={isChosen} onClick={onChoose}>
          {text}
        </button>
      ) : (
        <div className="find__choose find__choose--none">{text}</div>
      )}
      {backupId && (
        <Link
          to={paths.backup(backupId)}
          className="small find__link"
          aria-label={`Open the backup of ${formatMoment(new Date(at))}`}
        >
          Open
        </Link>
      )}
    </li>
  );
};
