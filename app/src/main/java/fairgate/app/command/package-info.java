/// The commands that start no server, and code shared by all commands.
@NullMarked
@CheckReturnValue
package fairgate.app.command;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
