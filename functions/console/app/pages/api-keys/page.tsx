import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { useApiKeys } from '../../data/api-keys.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { ApiKeyForm } from './api-key-form.tsx';
import { ApiKeyTable } from './api-key-table.tsx';
import { ServiceAccountCard } from './service-account-card.tsx';

export const ApiKeysPage = () => {
  const { isAllowed, reason } = usePermission('admin');
  const list = useApiKeys(isAllowed);
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button variant="primary" icon="plus" disabledReason={reason} onClick={() => setCreating(true)}>
      Create API key
    </Button>
  );
  return (
    <>
      <PageHeader
        title="API keys"
        description="One for each pipeline and tool, with no more than it needs. A key stays when the person who made it leaves."
        actions={create}
      />
      {isAllowed ? (
        <div className="stack">
          <Card flush>
            <ListBody
              list={list}
              what="API keys"
              empty={
                <EmptyState icon="key" title="No API keys yet" actions={create}>
                  A key never does more than a person of its role, works on its projects only, and always expires.
                </EmptyState>
              }
            >
              <ApiKeyTable keys={list.items} />
            </ListBody>
          </Card>
          <ServiceAccountCard />
        </div>
      ) : (
        <Notice title="Only admins and the owner can see API keys">Ask one of them if you need one.</Notice>
      )}
      {isCreating && <ApiKeyForm apiKey={undefined} onClose={() => setCreating(false)} />}
    </>
  );
};
