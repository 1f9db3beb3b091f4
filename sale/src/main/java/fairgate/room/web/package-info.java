/// What people see of waiting rooms: their pages, their part of the admin API, and the entrance to
/// sales behind a room.
@NullMarked
@CheckReturnValue
package fairgate.room.web;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
