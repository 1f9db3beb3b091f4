package fairgate.prove.environment;

/// Kills an engine and keeps it dead: the process that would start it again is held first.
final class Hold {
  private long supervisor;

  void kill(long pid) {
    keepDown(pid);
    Signals.send("KILL", pid);
  }

  /// However it ends, it is not started again.
  void keepDown(long pid) {
    supervisor = ProcessHandle.of(pid).flatMap(ProcessHandle::parent).orElseThrow().pid();
    Signals.send("STOP", supervisor);
  }

  /// Lets it start again; does nothing where nothing is held.
  void release() {
    if (supervisor != 0) {
      Signals.send("CONT", supervisor);
      supervisor = 0;
    }
  }
}
