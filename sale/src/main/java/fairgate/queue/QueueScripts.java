package fairgate.queue;

import fairgate.platform.redis.RedisClient;

/// The scripts of the queue.
record QueueScripts(
    JoinScript join,
    StatusScript status,
    RankScript rank,
    LeaveScript leave,
    OwnPlaceScript ownPlace,
    ExpireScript expire,
    AdmitScript admit,
    IssuePassScript issuePass,
    ReseatScript reseat,
    EndPauseScript endPause,
    MoveBehindScript moveBehind) {
  static QueueScripts on(RedisClient redis) {
    return new QueueScripts(
        new JoinScript(redis),
        new StatusScript(redis),
        new RankScript(redis),
        new LeaveScript(redis),
        new OwnPlaceScript(redis),
        new ExpireScript(redis),
        new AdmitScript(redis),
        new IssuePassScript(redis),
        new ReseatScript(redis),
        new EndPauseScript(redis),
        new MoveBehindScript(redis));
  }
}
