package fairgate.prove.stage;

/// Kills an engine and keeps it dead: the process that would start it again is held first.
final class Hold {
  private long supervisor;

  void kill(long pid) {
    supervisor = ProcessHandle.of(pid).flatMap(ProcessHandle::parent).orElseThrow().pid();
    Signals.send("STOP", supervisor);
    Signals.send("KILL", pid);
  }

  /// Lets it start again; does nothing where nothing is held.
  void release() {
    if (supervisor != 0) {
      Signals.send("CONT", supervisor);
      supervisor = 0;
    }
  }
}
