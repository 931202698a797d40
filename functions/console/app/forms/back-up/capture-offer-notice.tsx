import { Link } from '@tanstack/react-router';
import { useProjectReads } from '../../data/projects.ts';
import { paths } from '../../paths.ts';
import { Notice } from '../../ui/data/notice.tsx';

interface CaptureOfferNoticeProps {
  readonly projectId: string;
  /** Of one schedule; without it the first offer of the project. */
  readonly scheduleId?: string;
}

/** Offers capture where it costs less than the backups that read everything. */
export const CaptureOfferNotice = ({ projectId, scheduleId }: CaptureOfferNoticeProps) => {
  const { data } = useProjectReads(projectId);
  const offer = data?.offers.find((one) => scheduleId === undefined || one.scheduleId === scheduleId);
  if (!offer) return null;
  return (
    <Notice title={offer.text}>
      {offer.assumption}. <Link to={paths.project(projectId, 'point-in-time')}>Enable capture</Link> ·{' '}
      <Link to={paths.project(projectId, 'reads')}>What is read a day</Link>
    </Notice>
  );
};
