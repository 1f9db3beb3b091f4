/// The commands that start no server, and what all commands share.
@NullMarked
@CheckReturnValue
package fairgate.app.command;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
