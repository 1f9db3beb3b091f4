/// The bot's conversations: commands in three languages and the answers to them.
@NullMarked
@CheckReturnValue
package fairgate.line.talk;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
