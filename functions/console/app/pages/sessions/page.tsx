import { useState } from 'react';
import { refreshTokenSeconds } from '../../../../../shared/contract/limits.ts';
import { formatPlural } from '../../format/format-number.ts';
import { regionName } from '../../format/region-name.ts';
import { Badge } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';
import { type SignIn, useEndOtherSignIns, useEndSignIn, useSignIns } from './use-sign-ins.ts';

const unusedDays = refreshTokenSeconds / (24 * 3_600);

const kinds: Readonly<Record<SignIn['kind'], string>> = { console: 'Console', device: 'Device', application: 'Application' };

/** Where the person is signed in, and how to end it. Belongs to no organization. */
export const SessionsPage = () => {
  const { items, query } = useSignIns();
  const end = useEndSignIn();
  const endOthers = useEndOtherSignIns();
  const [ending, setEnding] = useState<SignIn>();
  const [isEndingOthers, setEndingOthers] = useState(false);
  const hasOthers = items?.some(({ current }) => !current) ?? false;
  const columns: readonly Column<SignIn>[] = [
    {
      key: 'name',
      label: 'Signed in with',
      isTitle: true,
      cell: ({ name, current }) => (
        <span className="row">
          <span className="wrap-anywhere">{name ?? 'Unknown program'}</span>
          {current && <Badge tone="good">This browser</Badge>}
        </span>
      ),
    },
    { key: 'kind', label: 'Kind', cell: ({ kind }) => kinds[kind] },
    { key: 'used', label: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} relative /> },
    {
      key: 'from',
      label: 'From',
      cell: ({ address, country }) => (
        <span className="wrap-anywhere">{[regionName(country), address].filter(Boolean).join(' · ') || 'Unknown'}</span>
      ),
    },
    { key: 'since', label: 'Signed in', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      key: 'actions',
      label: 'Actions',
      isActions: true,
      cell: (signIn) =>
        !signIn.current && (
          <Button size="small" variant="quiet-danger" onClick={() => setEnding(signIn)}>
            End…
          </Button>
        ),
    },
  ];
  return (
    <>
      <PageHeader
        title="Your sign-ins"
        description="The browsers, devices and applications that can act as you, in all your organizations."
        actions={
          <Button disabledReason={hasOthers ? undefined : 'There are no others'} onClick={() => setEndingOthers(true)}>
            End all others…
          </Button>
        }
      />
      <Card
        title="Signed in now"
        description={
          items && !hasOthers && !query.hasNextPage
            ? 'Nothing but this browser is signed in as you.'
            : `End what you do not recognize. A sign-in ends by itself after ${formatPlural(unusedDays, 'day')} without use.`
        }
        flush
      >
        {query.error && !items ? (
          <ErrorNotice error={query.error} title="Your sign-ins could not be loaded" onRetry={() => void query.refetch()} />
        ) : (
          <Table label="Your sign-ins" columns={columns} rows={items} rowKey={({ id }) => id} />
        )}
        <LoadMore query={query} />
      </Card>
      <ConfirmDialog
        open={ending !== undefined}
        onClose={() => setEnding(undefined)}
        title="End this sign-in?"
        action="End sign-in"
        busy={end.isPending}
        onConfirm={() => ending && end.mutate(ending.id, { onSettled: () => setEnding(undefined) })}
      >
        <span className="wrap-anywhere">{ending?.name ?? 'It'}</span> loses its access at once. Jobs that it has started go on.
      </ConfirmDialog>
      <ConfirmDialog
        open={isEndingOthers}
        onClose={() => setEndingOthers(false)}
        title="End all other sign-ins?"
        action="End all others"
        busy={endOthers.isPending}
        onConfirm={() => endOthers.mutate(undefined, { onSettled: () => setEndingOthers(false) })}
      >
        Every browser, device and application but this browser loses its access at once. Jobs that they have started go on.
      </ConfirmDialog>
    </>
  );
};
