import { type DeviceRequest, useDecideDevice } from '../../data/device.ts';
import { regionName } from '../../format/region-name.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';

interface DeviceDecisionProps {
  readonly userCode: string;
  readonly request: DeviceRequest;
  readonly email: string;
}

export const DeviceDecision = ({ userCode, request, email }: DeviceDecisionProps) => {
  const decide = useDecideDevice(userCode);
  if (decide.data?.status === 'approved')
    return (
      <Notice tone="good" title="The device is signed in">
        Return to its terminal. You can close this page.
      </Notice>
    );
  if (decide.data)
    return (
      <Notice tone="info" title="The sign-in was denied">
        The device got no access. If you did not start this sign-in, you have nothing more to do.
      </Notice>
    );
  return (
    <div className="stack">
      <p className="secondary">Does the terminal of your device show exactly this code?</p>
      <p className="device__code">{userCode.toUpperCase()}</p>
      <Facts request={request} />
      <Notice tone="warn" title="Approve only what you started yourself">
        If you got this link or code from another person, deny it: they would get access to everything that {email} can see and
        restore.
      </Notice>
      {decide.error && <ErrorNotice error={decide.error} />}
      <div className="form__actions device__actions">
        <Button
          variant="primary"
          busy={decide.isPending && decide.variables === 'approve'}
          onClick={() => decide.mutate('approve')}
        >
          Approve sign-in
        </Button>
        <Button busy={decide.isPending && decide.variables === 'deny'} onClick={() => decide.mutate('deny')}>
          Deny
        </Button>
      </div>
    </div>
  );
};

const Facts = ({
  request: { clientName, ip, location, userAgent, createdAt, expiresAt },
}: Pick<DeviceDecisionProps, 'request'>) => (
  <dl className="pairs">
    <dt>Device</dt>
    <dd className="wrap-anywhere">
      <strong>{clientName ?? 'Unnamed'}</strong>
      <div className="muted small">As it calls itself{userAgent ? `, with ${userAgent}` : ''}</div>
    </dd>
    <dt>From</dt>
    <dd className="wrap-anywhere">{[regionName(location), ip].filter(Boolean).join(' · ') || 'Unknown'}</dd>
    <dt>Started</dt>
    <dd>
      <Time at={createdAt} relative />
    </dd>
    <dt>Open until</dt>
    <dd>
      <Time at={expiresAt} />
    </dd>
  </dl>
);
