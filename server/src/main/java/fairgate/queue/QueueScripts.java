package fairgate.queue;

import fairgate.platform.redis.RedisClient;

/// The queue's edges, each one script.
record QueueScripts(
    JoinScript join,
    StatusScript status,
    RankScript rank,
    LeaveScript leave,
    ExpireScript expire,
    AdmitScript admit,
    IssuePassScript issuePass) {
  static QueueScripts on(RedisClient redis, QueueConfig config) {
    return new QueueScripts(
        new JoinScript(redis, config.sessionLife()),
        new StatusScript(redis),
        new RankScript(redis),
        new LeaveScript(redis),
        new ExpireScript(redis),
        new AdmitScript(redis),
        new IssuePassScript(redis));
  }
}
