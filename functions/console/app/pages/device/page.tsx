import { useEffect } from 'react';
import { useSession } from '../../api/session.ts';
import { useDeviceRequest } from '../../data/device.ts';
import { Centered } from '../../frame/centered.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { useSearchParams } from '../../use-search.ts';
import { CodeForm } from './code-form.tsx';
import { DeviceDecision } from './device-decision.tsx';

/** Where a person enters the code that `bms login` shows, sees what asks, and approves or denies it. */
export const DevicePage = () => {
  const [{ userCode }, setSearch] = useSearchParams();
  const { email } = useSession();
  const { data: request, error } = useDeviceRequest(userCode);
  useEffect(() => {
    document.title = 'Sign in a device · Backups';
  }, []);
  return (
    <Centered footer={<span className="wrap-anywhere">Signed in as {email}</span>}>
      <h1>Sign in a device</h1>
      {userCode !== undefined && request ? (
        <DeviceDecision userCode={userCode} request={request} email={email} />
      ) : userCode !== undefined && !error ? (
        <SkeletonText lines={4} />
      ) : (
        <CodeForm userCode={userCode} error={error} onSubmit={(code) => setSearch({ userCode: code })} />
      )}
    </Centered>
  );
};
