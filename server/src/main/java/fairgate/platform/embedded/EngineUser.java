package fairgate.platform.embedded;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Who the engines run as. PostgreSQL refuses to be root, so root hands both engines to an ordinary
/// user: the owner of the data that is there already, else `postgres`, else `nobody`.
///
/// @param switched whether that is somebody else than ourselves
record EngineUser(long uid, long gid, boolean switched) {
  private static final List<String> PREFERRED = List.of("postgres", "nobody");

  /// @param data a folder of an earlier run; need not exist
  static EngineUser choose(Path data) throws IOException {
    UnixSystem self = new UnixSystem();
    if (self.getUid() != 0) {
      return new EngineUser(self.getUid(), self.getGid(), false);
    }
    if (Files.isDirectory(data) && id(data, "uid") != 0) {
      return new EngineUser(id(data, "uid"), id(data, "gid"), true);
    }
    for (String name : PREFERRED) {
      Shell.Result uid = Shell.run(List.of("id", "-u", name));
      Shell.Result gid = Shell.run(List.of("id", "-g", name));
      if (uid.ok() && gid.ok()) {
        return new EngineUser(
            Long.parseLong(uid.output().strip()), Long.parseLong(gid.output().strip()), true);
      }
    }
    throw new EngineFailed(
        "PostgreSQL cannot run as root, and neither of the users "
            + PREFERRED
            + " exists. Run Fairgate as an ordinary user.");
  }

  /// The command, made to run as this user. The program replaces the switch: its pid is the
  /// child's.
  List<String> command(List<String> program) {
    if (!switched) {
      return program;
    }
    List<String> command = new ArrayList<>();
    if (Shell.run(List.of("setpriv", "--version")).ok()) {
      command.addAll(
          List.of("setpriv", "--reuid=" + uid, "--regid=" + gid, "--clear-groups", "--"));
    } else {
      command.addAll(List.of("sudo", "-n", "-u", "#" + uid, "-g", "#" + gid, "--"));
    }
    command.addAll(program);
    return command;
  }

  /// Whether this user may enter the folder: every parent has to let it through.
  boolean reaches(Path folder) {
    return !switched
        || Shell.run(command(List.of("bash", "-c", "cd \"$0\"", folder.toString()))).ok();
  }

  /// Gives a file or folder (not what is in it) to this user.
  void own(Path path) throws IOException {
    if (switched) {
      Files.setAttribute(path, "unix:uid", (int) uid);
      Files.setAttribute(path, "unix:gid", (int) gid);
    }
  }

  private static int id(Path path, String which) throws IOException {
    return (Integer) Files.getAttribute(path, "unix:" + which);
  }
}
