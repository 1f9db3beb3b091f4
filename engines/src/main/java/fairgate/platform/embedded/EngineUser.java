package fairgate.platform.embedded;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The user that runs the engines. PostgreSQL refuses to run as root, so root starts both engines
/// as another user: the owner of existing data, else `postgres`, else `nobody`.
///
/// @param switched whether this is another user than that of this process
record EngineUser(long uid, long gid, boolean switched) {
  private static final List<String> PREFERRED = List.of("postgres", "nobody");

  /// @param data the data folder of an earlier run; need not exist
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

  /// The command that runs the program as this user. The program replaces the switching command, so
  /// its pid is that of the child.
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

  /// Whether this user may enter the folder, including all its parents.
  boolean reaches(Path folder) {
    return !switched
        || Shell.run(command(List.of("bash", "-c", "cd \"$0\"", folder.toString()))).ok();
  }

  /// Makes this user the owner of a file or folder, without the folder's content.
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
