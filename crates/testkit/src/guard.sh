# Runs "$@" and sees to its end. $1 is the grace in seconds.
#
# Standard input is a pipe whose other end only the test process holds. When it closes, because the guard was
# dropped or because the test process has gone in whatever way, the whole process group (this shell leads it)
# gets TERM, and after the grace the child gets KILL. Its end is awaited here and is the end of the whole group.
grace=$1
shift
exec 3<&0 </dev/null
"$@" 3<&- &
child=$!
# Only now, so that the child does not inherit it.
trap '' TERM INT HUP
(
    while read -r _ <&3; do :; done
    if [ "$grace" != 0 ]; then
        kill -TERM 0
        sleep "$grace"
    fi
    kill -KILL "$child"
) &
exec 3<&-
wait "$child"
echo "[ended with status $?]"
# What the child left behind, the reader above, and this shell.
kill -KILL 0
